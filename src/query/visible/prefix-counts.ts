import type { BitSet } from '../../core/sets/bit-set.ts';
import type { CodeRange } from '../../core/sets/code-set.ts';
import type { Column } from '../../store/columns/column.ts';

/** Rows of the value index between two prefix counts. */
const step = 128;

/** Maximum number of rows that a count of one range tests: those between each bound and the prefix count before it. */
export const maximumRowsCounted = 2 * (step - 1);

/** Overhead in bytes of the counts of one column, and of the map that holds them. */
const bytesOfCounts = 320;
const bytesOfMap = 512;

/** Counts the members of a set of rows that have given codes, by prefix counts over the value indexes of columns. */
export class PrefixCounts {
  readonly #members: BitSet;
  readonly #grown: () => void;
  /** By column: the number of members before each step of the value index. Built on first use, 4 bytes per step. */
  #counts: Map<Column, Uint32Array> | null = null;
  #bytes = 0;

  /** Calls `grown` when `bytes` has grown. */
  constructor(members: BitSet, grown: () => void) {
    this.#members = members;
    this.#grown = grown;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Returns the number of members with one of the codes. Takes a time linear in the rows for the first call for a
   * column, and tests at most `maximumRowsCounted` rows for each range otherwise.
   */
  countWith(column: Column, codes: readonly CodeRange[]): number {
    const members = this.#members;
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
      if (this.#members.has(rows[i])) count++;
    }
    // if the last step is whole, the loop ends before it writes the last count
    if (rows.length % step === 0) counts[rows.length / step] = count;
    if (!this.#counts) {
      this.#counts = new Map();
      this.#bytes += bytesOfMap;
    }
    this.#counts.set(column, counts);
    this.#bytes += counts.byteLength + bytesOfCounts;
    this.#grown();
    return counts;
  }
}
