import type { CostBudget } from '../../core/cost-budget.ts';
import { BitSet, wordCount } from '../../core/sets/bit-set.ts';
import { firstWhere } from '../../core/sets/row-set.ts';

/** Codes of texts, ascending or as bits. `isExact`: all of them match; otherwise they must be verified. */
export interface Candidates {
  readonly codes: Uint32Array | BitSet;
  readonly isExact: boolean;
}

/** The posting lists. List i is of trigram i. */
export interface TrigramLists {
  /** The trigrams that occur, as one number each, the first byte highest; ascending. */
  readonly trigrams: Uint32Array;
  /** Where each list starts in `gaps`, and where the last one ends. */
  readonly offsets: Uint32Array;
  /** Each code as its distance from the one before, in base 128, low digits first, the last without the high bit. */
  readonly gaps: Uint8Array;
}

/** The texts that contain a byte, for the bytes whose posting lists are longest. */
export interface FrequentBytes {
  readonly bytes: Uint8Array;
  /** The words of one bit set after the other, in the order of `bytes`. */
  readonly words: Uint32Array;
}

/** Verifying one text costs about as much as decoding this many codes. */
const codesPerVerification = 32;

/** Costs of starting to decode a list, and of decoding a byte of it and using its code. */
const listCost = 120;
const decodedByteCost = 4;

/** Cost of finding the list of a trigram. */
const lookUpCost = 100;

/** Scratch space for one decoded list. Each lookup is done with it before the next begins. */
let decoded = new Uint32Array(1024);

/**
 * Posting lists: for each trigram the codes of the texts that contain it. A trigram is three adjacent bytes of a folded
 * text with one separator before it and two after it. So every byte of a text begins a trigram, and a pattern that
 * starts or ends with a separator is looked up like any other.
 */
export class TrigramIndex {
  readonly lists: TrigramLists;
  readonly frequent: FrequentBytes;
  /** How many texts there are. */
  readonly size: number;
  readonly #textsByFrequentByte: ReadonlyMap<number, BitSet>;

  constructor(lists: TrigramLists, frequent: FrequentBytes, size: number) {
    this.lists = lists;
    this.frequent = frequent;
    this.size = size;
    const wordsPerByte = wordCount(size + 1);
    this.#textsByFrequentByte = new Map(
      Array.from(frequent.bytes, (byte, i) => [
        byte,
        new BitSet(size + 1, frequent.words.subarray(i * wordsPerByte, (i + 1) * wordsPerByte)),
      ]),
    );
  }

  /** The texts that may contain a folded pattern of at least one byte. Bit sets are shared: do not change them. */
  candidates(pattern: Uint8Array, budget: CostBudget): Candidates {
    if (pattern.length < 3) return { codes: this.textsContaining(pattern, budget), isExact: true };
    const { trigrams, offsets } = this.lists;
    const found = new Set<number>();
    budget.charge(pattern.length * lookUpCost);
    for (let i = 0; i + 2 < pattern.length; i++) {
      const trigram = (pattern[i] << 16) | (pattern[i + 1] << 8) | pattern[i + 2];
      const list = this.#listFrom(trigram);
      if (trigrams[list] !== trigram) return { codes: new Uint32Array(0), isExact: true };
      found.add(list);
    }
    const lengthOf = (list: number) => offsets[list + 1] - offsets[list];
    const [rarest, ...others] = [...found].sort((a, b) => lengthOf(a) - lengthOf(b));
    const codes = this.#decode(rarest, budget).slice();
    let length = codes.length;
    for (const list of others) {
      if (lengthOf(list) > length * codesPerVerification) break;
      length = intersect(codes, length, this.#decode(list, budget));
    }
    return { codes: codes.subarray(0, length), isExact: pattern.length === 3 };
  }

  /** Returns the texts that contain one byte, or two adjacent ones. The set is shared: do not change it. */
  textsContaining(bytes: Uint8Array, budget: CostBudget): BitSet {
    const stored = bytes.length === 1 ? this.#textsByFrequentByte.get(bytes[0]) : undefined;
    if (stored) return stored;
    const low = (bytes[0] << 16) | (bytes.length > 1 ? bytes[1] << 8 : 0);
    return this.#union(this.#listFrom(low), this.#listFrom(low + (bytes.length > 1 ? 1 << 8 : 1 << 16)), budget);
  }

  #union(first: number, end: number, budget: CostBudget): BitSet {
    const codes = new BitSet(this.size + 1);
    const { words } = codes;
    for (let list = first; list < end; list++) {
      const found = this.#decode(list, budget);
      for (let i = 0; i < found.length; i++) words[found[i] >>> 5] |= 1 << (found[i] & 31);
    }
    return codes;
  }

  /** The list of the first trigram that is not less than `trigram`. */
  #listFrom(trigram: number): number {
    const { trigrams } = this.lists;
    return firstWhere(trigrams.length, (list) => trigrams[list] >= trigram);
  }

  /** The codes of a list, valid until the next list is decoded. */
  #decode(list: number, budget: CostBudget): Uint32Array {
    const { gaps, offsets } = this.lists;
    const end = offsets[list + 1];
    let at = offsets[list];
    budget.charge(listCost + (end - at) * decodedByteCost);
    if (decoded.length < end - at) decoded = new Uint32Array(Math.max(end - at, decoded.length * 2));
    const codes = decoded;
    let length = 0;
    for (let code = 0; at < end; ) {
      let gap = gaps[at++];
      if (gap > 0x7f) {
        gap &= 0x7f;
        let shift = 7;
        for (; gaps[at] > 0x7f; shift += 7) gap |= (gaps[at++] & 0x7f) << shift;
        gap |= gaps[at++] << shift;
      }
      code += gap;
      codes[length++] = code;
    }
    return codes.subarray(0, length);
  }
}

/** Moves those of the first `length` codes that are among `others` to the front, and returns their number. */
function intersect(codes: Uint32Array, length: number, others: Uint32Array): number {
  let kept = 0;
  for (let i = 0, other = 0; i < length; i++) {
    const code = codes[i];
    while (other < others.length && others[other] < code) other++;
    if (other === others.length) break;
    if (others[other] === code) codes[kept++] = code;
  }
  return kept;
}
