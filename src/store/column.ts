import { BitSet } from '../sets/bit-set.ts';
import { countOffsets } from '../sets/links.ts';
import type { Codes, Dictionary } from './dictionary.ts';

/** The rows of a column in the order of their values: those with code c are rows[offsets[c]] to rows[offsets[c + 1]]. */
export interface ValueIndex {
  readonly offsets: Uint32Array;
  readonly rows: Uint32Array;
}

/** Codes from `low` up to, not including, `high`. */
export interface CodeRange {
  readonly low: number;
  readonly high: number;
}

/** A set of codes: disjoint ranges in ascending order, or what a search of the values found. */
export type CodeSet = readonly CodeRange[] | Codes;

export function isRanges(set: CodeSet): set is readonly CodeRange[] {
  return Array.isArray(set);
}

/** Calls `visit` with the ranges of a set. */
function forEachRange(set: CodeSet, visit: (low: number, high: number) => void): void {
  if (set instanceof BitSet) {
    set.forEach((code) => {
      visit(code, code + 1);
    });
  } else if (set instanceof Uint32Array) for (const code of set) visit(code, code + 1);
  else for (const { low, high } of set) visit(low, high);
}

/** One attribute's values by row, as codes into a dictionary; 0 is null. */
export class Column {
  readonly codes: Uint32Array;
  readonly dictionary: Dictionary;
  #index: ValueIndex | null = null;

  constructor(codes: Uint32Array, dictionary: Dictionary) {
    this.codes = codes;
    this.dictionary = dictionary;
  }

  /**
   * Equality and order in one: a value's rows, a range's rows and the sorted rows are all slices of it. Rows with the
   * same code stand in ascending order, nulls first. Made on first use by a counting sort, so linear in the rows.
   */
  get index(): ValueIndex {
    this.#index ??= this.#buildIndex();
    return this.#index;
  }

  /** Builds what the first use would otherwise wait for. */
  prepare(): void {
    this.#index ??= this.#buildIndex();
    this.dictionary.prepare();
  }

  /** How many rows have one of the codes. */
  countRows(set: CodeSet): number {
    const { offsets } = this.index;
    let count = 0;
    forEachRange(set, (low, high) => {
      count += offsets[high] - offsets[low];
    });
    return count;
  }

  /** The rows that have one of the codes. */
  rowsWith(set: CodeSet): BitSet {
    const { offsets, rows } = this.index;
    const found = new BitSet(this.codes.length);
    const { words } = found;
    forEachRange(set, (low, high) => {
      for (let i = offsets[low], end = offsets[high]; i < end; i++) words[rows[i] >>> 5] |= 1 << (rows[i] & 31);
    });
    return found;
  }

  /** The rows that have one of the codes, as an ascending list: for where they are few. */
  listWith(set: CodeSet): Uint32Array {
    const { offsets, rows } = this.index;
    const list = new Uint32Array(this.countRows(set));
    let end = 0;
    forEachRange(set, (low, high) => {
      for (let i = offsets[low]; i < offsets[high]; i++) list[end++] = rows[i];
    });
    // the rows of one code stand in order, those of several are sorted by code
    return list.sort();
  }

  #buildIndex(): ValueIndex {
    const { codes } = this;
    const offsets = countOffsets(codes, this.dictionary.size + 1);
    const rows = new Uint32Array(codes.length);
    const next = offsets.slice();
    for (let row = 0; row < codes.length; row++) rows[next[codes[row]]++] = row;
    return { offsets, rows };
  }
}
