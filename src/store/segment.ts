import { BitSet } from '../core/sets/bit-set.ts';
import { adjacenciesOf, type Collection } from './collection.ts';
import type { Column } from './columns/column.ts';
import type { NumberDictionary } from './columns/number-dictionary.ts';
import type { Delta } from './overlay/delta.ts';

const noRows = new Uint32Array(0);

/**
 * The rows of a collection as queries read them: with a delta of rows that are new or have other values, and without
 * those that are dead, that is, deleted. A collection never changes; each batch of changes makes new segments of those
 * that it concerns. A changed row keeps its number, new ones follow the last, and no number is used twice. Columns and
 * links still hold dead rows. The visible rows of scopes and the reachable rows of requests are without them, so filters,
 * sorts and replies test no row. Code that follows columns or links without these sets asks `live`.
 *
 * These values still count dead rows: the entries and components of the summary with its newest
 * update (content/versions/summary.ts), and the estimates of plans, which stay upper bounds.
 */
export class Segment {
  static #created = 0;
  static #versions = 0;

  /** Names the collection in the keys of what is derived from it. Segments that differ only in changes share it. */
  readonly id: number;
  /** Differs between segments that differ in changes. */
  readonly version = ++Segment.#versions;
  readonly collection: Collection;
  /** Null if no row is new or has other values. */
  readonly delta: Delta | null;
  /** The rows that the delta holds; null without a delta. */
  readonly changed: BitSet | null;
  /** Ascending. */
  readonly dead: Uint32Array;
  /** Rows that no query may reach, although they are not dead, where drafts are shown in their place. Null: none. */
  readonly hidden: BitSet | null;
  /** The number of all rows, dead and hidden ones among them. */
  readonly rowCount: number;
  /** All rows but the hidden ones. These sets are shared: do not change them. */
  readonly allRows: BitSet;
  /** The rows that are neither dead nor hidden; null: all of them. */
  readonly live: BitSet | null;
  /** The rows of each status, dead ones among them; null for a type without drafts. */
  readonly published: BitSet | null;
  readonly drafts: BitSet | null;

  constructor(
    collection: Collection,
    dead: Uint32Array = noRows,
    id = ++Segment.#created,
    delta: Delta | null = null,
    hidden: BitSet | null = null,
  ) {
    const rowCount = delta?.rowCount ?? collection.rowCount;
    this.id = id;
    this.collection = collection;
    this.delta = delta;
    this.changed = delta && bitsOf(delta.rows, delta.rowCount);
    this.dead = dead;
    this.hidden = hidden;
    this.rowCount = rowCount;
    this.allRows = rowCount === collection.rowCount && !hidden ? collection.allRows : shownRows(rowCount, hidden);
    this.live = dead.length === 0 ? hidden && this.allRows : this.allRows.clone().subtract(dead);
    this.published = delta && collection.published ? publishedRows(collection.published, delta) : collection.published;
    this.drafts = delta && this.published ? this.allRows.clone().subtract(this.published) : collection.drafts;
  }

  /** Returns a segment with the same rows whose collection differs in links or in the rows that it shows. */
  withCollection(collection: Collection, hidden = this.hidden): Segment {
    return new Segment(collection, this.dead, this.id, this.delta, hidden);
  }

  isLive(row: number): boolean {
    return this.live === null || this.live.has(row);
  }

  /** Whether the rows are in ascending order of id. */
  get isInIdOrder(): boolean {
    return this.delta?.isInIdOrder ?? true;
  }
}

/** Whether rows or links of a segment are not those of its base. */
export function hasChanges({ delta, dead, collection }: Segment): boolean {
  return delta !== null || dead.length > 0 || adjacenciesOf(collection).some(([, { patch }]) => patch !== null);
}

/** Returns the id that follows the greatest that a row of the segment has or had. */
export function nextId({ collection, delta }: Segment): number {
  return (delta ?? collection).greatestId + 1;
}

/** Returns the live row with an id. */
export function rowOfId(segment: Segment, id: number): number | undefined {
  const { collection, delta } = segment;
  const changed = delta ? rowWithId(delta.columns.get('id')!, id) : undefined;
  if (delta && changed !== undefined) return delta.rows[changed];
  const row = rowWithId(collection.columns.get('id')!, id);
  // a replaced row keeps its id, so it was found in the delta if it is live
  return row === undefined || delta?.replaced.has(row) || !segment.isLive(row) ? undefined : row;
}

function rowWithId({ dictionary, index }: Column, id: number): number | undefined {
  const value = (dictionary as NumberDictionary).find(id);
  return value < 0 ? undefined : index.rows[index.offsets[value + 1]];
}

function shownRows(rowCount: number, hidden: BitSet | null): BitSet {
  const rows = BitSet.full(rowCount);
  return hidden ? rows.subtract(hidden) : rows;
}

function bitsOf(members: Uint32Array, size: number): BitSet {
  const set = new BitSet(size);
  for (let i = 0; i < members.length; i++) set.add(members[i]);
  return set;
}

function publishedRows(published: BitSet, delta: Delta): BitSet {
  const rows = new BitSet(delta.rowCount);
  rows.words.set(published.words);
  for (let i = 0; i < delta.replaced.words.length; i++) rows.words[i] &= ~delta.replaced.words[i];
  for (let i = 0; i < delta.rows.length; i++) if (delta.published!.has(i)) rows.add(delta.rows[i]);
  return rows;
}
