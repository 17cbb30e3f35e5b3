import type { RangeBitmaps } from './range-bitmaps.ts';

/**
 * The rows of a column in the order of their values, nulls first: the rows with code c are `rows[offsets[c]]` up to
 * `rows[offsets[c + 1]]`, ascending. So the rows of a value, the rows of a range and the sorted rows are slices of it.
 */
export interface ValueIndex {
  readonly offsets: Uint32Array;
  readonly rows: Uint32Array;
  /** Null for a column of few rows. */
  readonly bitmaps: RangeBitmaps | null;
}
