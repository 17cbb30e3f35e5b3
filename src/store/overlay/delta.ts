import type { BitSet } from '../../core/sets/bit-set.ts';
import { firstWhere } from '../../core/sets/row-set.ts';
import type { JsonRows } from '../json-rows.ts';
import type { DeltaColumn } from './delta-column.ts';

/**
 * The rows of a segment that its collection lacks or has with other values. They have numbers of their own, in the order
 * of the segment's rows. All of them are live.
 */
export interface Delta {
  /** The row of the segment of each delta row, ascending: a row of the collection that is replaced, or a new one. */
  readonly rows: Uint32Array;
  /** The rows of the collection that are replaced or dead: its columns are not asked about them. */
  readonly replaced: BitSet;
  /** The number of rows of the segment: those of the collection, and all that were ever added, dead or not. */
  readonly rowCount: number;
  /** The greatest id that a row of the segment has or had. */
  readonly greatestId: number;
  /** Whether the rows of the segment are in ascending order of id. */
  readonly isInIdOrder: boolean;
  readonly columns: ReadonlyMap<string, DeltaColumn>;
  readonly comparedTexts: ReadonlyMap<string, DeltaColumn>;
  /** The JSON of each delta row: of one row each. */
  readonly jsonRows: readonly JsonRows[];
  /** Bytes of the JSON of all delta rows. */
  readonly jsonBytes: number;
  /** The published delta rows; null for a type without drafts. */
  readonly published: BitSet | null;
}

/** Returns the number in the delta of a row of the segment; -1 if it has none. */
export function deltaRowOf({ rows }: Delta, row: number): number {
  const at = firstWhere(rows.length, (i) => rows[i] >= row);
  return rows[at] === row ? at : -1;
}
