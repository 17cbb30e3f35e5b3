import { BitSet, wordCount } from '../../core/sets/bit-set.ts';

/**
 * A column has an empty cumulative bitmap and up to this many others, which take about 4.1 bytes a row, and up to 4.5
 * in a column of a hundred rows. Bitmaps of one code are fewer and take up to 4.
 */
const stepCount = 32;

/** Rows in one word of a bitmap. */
const rowsPerWord = 32;

/** Columns of at most this many rows have no bitmaps, and ranges of at most this many rows are read row by row. */
export const shortRange = 64;

/** The arrays of bitmaps, which have one bit for each row. Each array holds one bitmap after the other. */
export interface BitmapArrays {
  /** Bitmap i holds the first i × step rows of the index. The first one is empty, the last one holds all rows. */
  readonly cumulative: Uint32Array;
  /** The codes that many rows have, and the rows of each. */
  readonly codes: Uint32Array;
  readonly byCode: Uint32Array;
}

/**
 * Bitmaps that answer long ranges of a value index in a time that does not grow with the range: cumulative bitmaps at
 * evenly spaced places of the index, and one bitmap for each code that many rows have. All are shared: do not change
 * them.
 */
export class RangeBitmaps {
  readonly arrays: BitmapArrays;
  /** The rows of the value index. */
  readonly #rows: Uint32Array;
  readonly #step: number;
  readonly #wordCount: number;

  /** `rows` are those of the value index. */
  constructor(rows: Uint32Array, arrays: BitmapArrays) {
    this.arrays = arrays;
    this.#rows = rows;
    this.#step = bitmapStep(rows.length);
    this.#wordCount = wordCount(rows.length);
  }

  /** The rows with a code; null if they are few. */
  rowsWithCode(code: number): BitSet | null {
    const position = this.arrays.codes.indexOf(code);
    if (position < 0) return null;
    const start = position * this.#wordCount;
    return new BitSet(this.#rows.length, this.arrays.byCode.subarray(start, start + this.#wordCount));
  }

  /**
   * Adds the rows of the index from `start` to `end`, none of which is in `words`: XOR the two nearest cumulative
   * bitmaps, then flip the rows between each of the two places and the exact bound.
   */
  addRange(words: Uint32Array, start: number, end: number): void {
    const rows = this.#rows;
    const step = this.#step;
    const { cumulative } = this.arrays;
    const from = Math.round(start / step);
    const to = Math.round(end / step);
    const before = from * this.#wordCount;
    const upTo = to * this.#wordCount;
    for (let i = 0; i < words.length; i++) words[i] ^= cumulative[upTo + i] ^ cumulative[before + i];
    const flip = (one: number, other: number) => {
      for (let i = Math.min(one, other), last = Math.max(one, other); i < last; i++) {
        words[rows[i] >>> 5] ^= 1 << (rows[i] & 31);
      }
    };
    flip(from * step, start);
    flip(Math.min(to * step, rows.length), end);
  }
}

/** Rows of the index from one cumulative bitmap to the next. */
export function bitmapStep(rowCount: number): number {
  return Math.ceil(rowCount / stepCount);
}

/**
 * Whether a range of `count` rows of an index with `rowCount` rows is long enough to be read from bitmaps: it has more
 * rows than a bitmap has words.
 */
export function isLongRange(count: number, rowCount: number): boolean {
  return count > shortRange && count * rowsPerWord > rowCount;
}
