import { countOffsets } from '../sets/adjacency.ts';
import { BitSet } from '../sets/bit-set.ts';
import { toRowList } from '../sets/row-set.ts';
import type { Codes, Dictionary } from './dictionary.ts';

/**
 * The rows of a column in the order of their values: those with code c are rows[offsets[c]] to rows[offsets[c + 1]].
 */
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

function isOneCode(set: CodeSet): set is readonly [CodeRange] {
  return isRanges(set) && set.length === 1 && set[0].high - set[0].low === 1;
}

/** Set number n holds the first n * step rows of the index. */
interface Marks {
  readonly step: number;
  readonly sets: readonly BitSet[];
}

/** 4 bytes a row for the marks of a column; they are made when a span is first asked for that is as long as a step. */
const markCount = 32;
/** Steps are at least so long: below that, rows are added one by one. */
const fewestBetweenMarks = 64;

/** One attribute's values by row, as codes into a dictionary; 0 is null. */
export class Column {
  readonly codes: Uint32Array;
  readonly dictionary: Dictionary;
  #index: ValueIndex | null = null;
  #marks: Marks | null = null;
  /** By code, for those that many rows have. */
  readonly #kept = new Map<number, BitSet>();

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
    if (isRanges(set)) for (const { low, high } of set) count += offsets[high] - offsets[low];
    else if (!(set instanceof BitSet)) for (const code of set) count += offsets[code + 1] - offsets[code];
    else {
      // a list made of the bits would take several times as long
      const { words } = set;
      for (let i = 0; i < words.length; i++) {
        for (let word = words[i]; word !== 0; word &= word - 1) {
          const code = (i << 5) + 31 - Math.clz32(word & -word);
          count += offsets[code + 1] - offsets[code];
        }
      }
    }
    return count;
  }

  /**
   * The rows that have one of the codes, kept and not to be changed; null if that is not one code which many rows have.
   * There are at most as many such codes as there are marks, and what is kept is as large.
   */
  cachedRows(set: CodeSet): BitSet | null {
    if (!isOneCode(set)) return null;
    const { offsets, rows } = this.index;
    const [{ low, high }] = set;
    if ((offsets[high] - offsets[low]) * markCount < rows.length) return null;
    let kept = this.#kept.get(low);
    if (!kept) {
      kept = new BitSet(rows.length);
      for (let i = offsets[low]; i < offsets[high]; i++) kept.add(rows[i]);
      this.#kept.set(low, kept);
    }
    return kept;
  }

  /** The rows that have one of the codes. */
  rowsWithCodes(set: CodeSet): BitSet {
    const { offsets, rows } = this.index;
    const found = new BitSet(this.codes.length);
    const { words } = found;
    const add = (start: number, end: number) => {
      for (let i = start; i < end; i++) words[rows[i] >>> 5] |= 1 << (rows[i] & 31);
    };
    if (set instanceof BitSet) this.#addWhere(words, set);
    else if (!isRanges(set)) for (const code of set) add(offsets[code], offsets[code + 1]);
    else {
      for (const { low, high } of set) {
        const length = offsets[high] - offsets[low];
        if (length > fewestBetweenMarks && length * markCount > rows.length) {
          this.#addSpan(words, offsets[low], offsets[high]);
        } else add(offsets[low], offsets[high]);
      }
    }
    return found;
  }

  /** Adds the rows that have one of many codes: a look at each row in turn is quicker than one at each code. */
  #addWhere(words: Uint32Array, { words: wanted }: BitSet): void {
    const { codes } = this;
    for (let row = 0; row < codes.length; row++) {
      const bit = (wanted[codes[row] >>> 5] >>> (codes[row] & 31)) & 1;
      words[row >>> 5] |= bit << (row & 31);
    }
  }

  /**
   * Adds the rows that stand in the index from `start` to `end`, none of which is in `words`: as the difference of two
   * marks, in which then those rows are turned over that stand between a mark and the border that is wanted.
   */
  #addSpan(words: Uint32Array, start: number, end: number): void {
    this.#marks ??= this.#buildMarks();
    const { rows } = this.index;
    const { step, sets } = this.#marks;
    const from = Math.round(start / step);
    const to = Math.round(end / step);
    const without = sets[from].words;
    const within = sets[to].words;
    for (let i = 0; i < words.length; i++) words[i] ^= within[i] ^ without[i];
    const turn = (one: number, other: number) => {
      for (let i = Math.min(one, other), last = Math.max(one, other); i < last; i++) {
        words[rows[i] >>> 5] ^= 1 << (rows[i] & 31);
      }
    };
    turn(from * step, start);
    turn(Math.min(to * step, rows.length), end);
  }

  /** The rows that have one of the codes, as an ascending list: for where they are few. */
  rowListWithCodes(set: CodeSet): Uint32Array {
    const { offsets, rows } = this.index;
    // those of one code stand in order
    if (isOneCode(set)) return rows.slice(offsets[set[0].low], offsets[set[0].high]);
    const list = new Uint32Array(this.countRows(set));
    let length = 0;
    const add = (start: number, end: number) => {
      for (let i = start; i < end; i++) list[length++] = rows[i];
    };
    if (isRanges(set)) for (const { low, high } of set) add(offsets[low], offsets[high]);
    else for (const code of toRowList(set)) add(offsets[code], offsets[code + 1]);
    return list.sort();
  }

  #buildMarks(): Marks {
    const { rows } = this.index;
    const step = Math.ceil(rows.length / markCount);
    const set = new BitSet(rows.length);
    const sets = [set.clone()];
    for (let start = 0; start < rows.length; start += step) {
      for (let i = start, end = Math.min(start + step, rows.length); i < end; i++) set.add(rows[i]);
      sets.push(set.clone());
    }
    return { step, sets };
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
