/**
 * A bound selection, compiled for writing: an entry is copied from the stored JSON rows, its relations from their
 * links.
 */
import type { BitSet } from '../../core/sets/bit-set.ts';
import type { JsonRows } from '../../store/json-rows.ts';
import type { Adjacency, PolymorphicAdjacency } from '../../store/links/adjacency.ts';
import { type Delta, deltaRowOf } from '../../store/overlay/delta.ts';
import type { Window } from '../bound.ts';
import type { RankFunction } from '../run/computed-ranks.ts';
import type { Delimiters } from './delimiters.ts';

export interface EntryProjection {
  /** The number of the collection. */
  readonly collection: number;
  readonly jsonRows: JsonRows;
  /** The rows whose JSON is in the delta of the segment; null if there are none. */
  readonly changed: ChangedRows | null;
  /** Pairs of first and end position among a row's fragments. Each range is one copy. */
  readonly fragmentRanges: readonly number[];
  /**
   * The first range is id and documentId, and everything after it is in an object `attributes`, as Strapi 4 wrote it.
   */
  readonly hasAttributesObject: boolean;
  readonly parts: readonly PartProjection[];
}

export interface ChangedRows {
  readonly rows: BitSet;
  readonly delta: Delta;
}

interface PartBase {
  /** The number of the attribute in the schema. */
  readonly attribute: number;
  readonly delimiters: Delimiters;
  /** Cost of beginning to write the part: finding its links, and writing its name. */
  readonly cost: number;
  readonly many: boolean;
  readonly count: boolean;
}

/** Related rows of one collection. */
export interface RelationProjection extends PartBase {
  readonly kind: 'relation';
  /** A count is in an object `attributes` in `data`. */
  readonly countsInAttributes: boolean;
  readonly links: Adjacency;
  /** The related rows that are written: visible ones for which the filter of `populate` is true. Null: all rows. */
  readonly selected: BitSet | null;
  /** The last members of each entry. */
  readonly suffix: Buffer | undefined;
  /** How to sort them; null: in the order of connection. */
  readonly ranks: readonly RankFunction[] | null;
  /** The part of the list that is written; null: all of it. */
  readonly window: Window | null;
  /** Cost of one related row: testing whether it is selected, and sorting it. */
  readonly rowCost: number;
  readonly entry: EntryProjection;
}

/**
 * Related rows of several collections, by collection number. Rows of collections that are not listed are not written.
 */
export interface PolymorphicProjection extends PartBase {
  readonly kind: 'polymorphic';
  readonly links: PolymorphicAdjacency;
  readonly targets: readonly (
    | { readonly selected: BitSet | null; readonly entry: EntryProjection; readonly suffix: Buffer }
    | undefined
  )[];
}

export type PartProjection = RelationProjection | PolymorphicProjection;

/** The parts of a projection that are the same for every request of a prepared query; undefined for others. */
export type SharedParts = readonly (PartProjection | undefined)[];

/** Returns the JSON of a changed row, as its only row. */
export function changedJson({ delta }: ChangedRows, row: number): JsonRows {
  return delta.jsonRows[deltaRowOf(delta, row)];
}
