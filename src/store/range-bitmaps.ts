import { BitSet } from '../sets/bit-set.ts';
import type { ValueIndex } from './value-index.ts';

/** A column has this many cumulative bitmaps, and at most as many bitmaps of one code. Each kind takes 4 bytes a row. */
const bitmapCount = 32;

/** Shorter ranges are read row by row: that takes less time than the bitmaps of a small column take memory. */
const minimumRows = 64;

/**
 * Bitmaps that answer long ranges of a value index in a time that does not grow with the range: cumulative bitmaps at
 * evenly spaced places of the index, and one bitmap for each code that many rows have. All are shared: do not change
 * them. They are built together, in a time linear in the rows.
 */
export class RangeBitmaps {
  readonly #index: ValueIndex;
  readonly #step: number;
  /** Bitmap i holds the first i × step rows of the index. */
  readonly #cumulative: readonly BitSet[];
  readonly #byCode: ReadonlyMap<number, BitSet>;

  private constructor(
    index: ValueIndex,
    step: number,
    cumulative: readonly BitSet[],
    byCode: ReadonlyMap<number, BitSet>,
  ) {
    this.#index = index;
    this.#step = step;
    this.#cumulative = cumulative;
    this.#byCode = byCode;
  }

  static build(index: ValueIndex): RangeBitmaps {
    const { offsets, rows } = index;
    const step = Math.ceil(rows.length / bitmapCount);
    const set = new BitSet(rows.length);
    const cumulative = [set.clone()];
    for (let start = 0; start < rows.length; start += step) {
      for (let i = start, end = Math.min(start + step, rows.length); i < end; i++) set.add(rows[i]);
      cumulative.push(set.clone());
    }
    const byCode = new Map<number, BitSet>();
    for (let code = 0; code + 1 < offsets.length; code++) {
      if (!RangeBitmaps.serve(offsets[code + 1] - offsets[code], rows.length)) continue;
      const ofCode = new BitSet(rows.length);
      for (let i = offsets[code]; i < offsets[code + 1]; i++) ofCode.add(rows[i]);
      byCode.set(code, ofCode);
    }
    return new RangeBitmaps(index, step, cumulative, byCode);
  }

  /** Whether a range of `count` rows of an index with `rowCount` rows is long enough to be read from bitmaps. */
  static serve(count: number, rowCount: number): boolean {
    return count > minimumRows && count * bitmapCount > rowCount;
  }

  get bytes(): number {
    const [{ words }] = this.#cumulative;
    return (this.#cumulative.length + this.#byCode.size) * words.byteLength;
  }

  /** The rows with a code; null if they are few. */
  rowsWithCode(code: number): BitSet | null {
    return this.#byCode.get(code) ?? null;
  }

  /**
   * Adds the rows of the index from `start` to `end`, none of which is in `words`: XOR the two nearest cumulative
   * bitmaps, then flip the rows between each of the two places and the exact bound.
   */
  addRange(words: Uint32Array, start: number, end: number): void {
    const { rows } = this.#index;
    const step = this.#step;
    const from = Math.round(start / step);
    const to = Math.round(end / step);
    const before = this.#cumulative[from].words;
    const upTo = this.#cumulative[to].words;
    for (let i = 0; i < words.length; i++) words[i] ^= upTo[i] ^ before[i];
    const flip = (one: number, other: number) => {
      for (let i = Math.min(one, other), last = Math.max(one, other); i < last; i++) {
        words[rows[i] >>> 5] ^= 1 << (rows[i] & 31);
      }
    };
    flip(from * step, start);
    flip(Math.min(to * step, rows.length), end);
  }
}
