import type { BitSet } from '../sets/bit-set.ts';
import type { CodeRange } from '../sets/code-set.ts';
import type { Column } from '../store/column.ts';

/** Rows of the value index between two prefix counts. Up to this many rows are counted one by one. */
const step = 128;

/** Overhead in bytes of the prefix counts of one column, and of the map that holds them. */
const bytesOfCounts = 320;
const bytesOfMap = 512;

/** The visible rows of a collection, their number, and their prefix counts over the value indexes of columns. */
export class VisibleRowSet {
  readonly rows: BitSet;
  readonly count: number;
  readonly #isOwn: boolean;
  readonly #grown: () => void;
  /** By column, how many members come before each step of the value index. Built on first use: 4 bytes per step. */
  #counts: Map<Column, Uint32Array> | null = null;
  #countBytes = 0;

  /** Takes over the rows: do not change them. `isOwn`: nothing else holds them. Calls `grown` when `bytes` has grown. */
  constructor(rows: BitSet, isOwn = true, grown: () => void = () => {}) {
    this.rows = rows;
    this.count = rows.count();
    this.#isOwn = isOwn;
    this.#grown = grown;
  }

  /** Bytes of the rows, unless something else holds them, and of all counts. */
  get bytes(): number {
    return (this.#isOwn ? this.rows.words.byteLength : 0) + this.#countBytes;
  }

  /** Returns how many of the rows have one of the codes. Takes a time that does not grow with the rows. */
  countWith(column: Column, codes: readonly CodeRange[]): number {
    const { rows: members } = this;
    const { offsets, rows } = column.index;
    const counts = this.#countsOf(column);
    const before = (place: number): number => {
      const nearest = Math.floor(place / step);
      let count = counts[nearest];
      for (let i = nearest * step; i < place; i++) if (members.has(rows[i])) count++;
      return count;
    };
    return codes.reduce((total, { low, high }) => total + before(offsets[high]) - before(offsets[low]), 0);
  }

  #countsOf(column: Column): Uint32Array {
    const known = this.#counts?.get(column);
    if (known) return known;
    const { rows } = column.index;
    const counts = new Uint32Array(Math.floor(rows.length / step) + 1);
    let count = 0;
    for (let i = 0; i < rows.length; i++) {
      if (i % step === 0) counts[i / step] = count;
      if (this.rows.has(rows[i])) count++;
    }
    // where the last step is whole, nothing stands behind it
    if (rows.length % step === 0) counts[rows.length / step] = count;
    if (!this.#counts) {
      this.#counts = new Map();
      this.#countBytes += bytesOfMap;
    }
    this.#counts.set(column, counts);
    this.#countBytes += counts.byteLength + bytesOfCounts;
    this.#grown();
    return counts;
  }
}
