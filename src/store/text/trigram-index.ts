import { CostBudget } from '../../base/cost-budget.ts';
import { BitSet } from '../../sets/bit-set.ts';
import { type Codes, firstWhere } from '../dictionary.ts';
import { separator } from './pattern.ts';

/** Codes of texts, ascending or as bits; `isExact`: all of them hold the pattern, otherwise they may. */
export interface Candidates {
  readonly codes: Codes;
  readonly isExact: boolean;
}

/** Looking through one text costs about as much as decoding so many codes. */
const textCost = 32;

/** To begin with a list; to decode a byte of it and look at its code. */
const stepsOfList = 120;
const stepsOfByte = 4;

/** To find the list of a trigram. */
const lookUpCost = 100;

/** Codes of one list: each look-up is done with them before the next begins. */
let decoded = new Uint32Array(1024);

/**
 * For each trigram, the codes of the texts that hold it. A trigram is three bytes that stand together in a folded text,
 * which is taken with one separator before it and two after it: so each of its bytes begins a trigram, and a pattern
 * that starts or ends with a separator is looked up as any other. trigram-builder.ts makes it.
 */
export class TrigramIndex {
  /** Those that occur, as one number each, the first byte highest; ascending. */
  readonly trigrams: Uint32Array;
  /** Where the gaps of each trigram start, and where the last ones end. */
  readonly offsets: Uint32Array;
  /** Each code as its distance from the one before, in base 128, low digits first, the last without the high bit. */
  readonly gaps: Uint8Array;
  /** How many texts there are. */
  readonly size: number;
  readonly #frequent = new Map<number, BitSet>();

  constructor(trigrams: Uint32Array, offsets: Uint32Array, gaps: Uint8Array, size: number) {
    this.trigrams = trigrams;
    this.offsets = offsets;
    this.gaps = gaps;
    this.size = size;
    this.#findFrequent();
  }

  /** The texts that may hold a folded pattern of at least one byte. */
  candidates(pattern: Uint8Array, work: CostBudget): Candidates {
    if (pattern.length < 3) return { codes: this.#startingWith(pattern, work), isExact: true };
    const found = new Set<number>();
    work.charge(pattern.length * lookUpCost);
    for (let i = 0; i + 2 < pattern.length; i++) {
      const trigram = (pattern[i] << 16) | (pattern[i + 1] << 8) | pattern[i + 2];
      const list = this.#listFrom(trigram);
      if (this.trigrams[list] !== trigram) return { codes: new Uint32Array(0), isExact: true };
      found.add(list);
    }
    const bytesOf = (list: number) => this.offsets[list + 1] - this.offsets[list];
    const [rarest, ...others] = [...found].sort((a, b) => bytesOf(a) - bytesOf(b));
    const codes = this.#decode(rarest, work).slice();
    let length = codes.length;
    for (const list of others) {
      if (bytesOf(list) > length * textCost) break;
      length = intersect(codes, length, this.#decode(list, work));
    }
    return { codes: codes.subarray(0, length), isExact: pattern.length === 3 };
  }

  /** The texts that hold a trigram which starts with one or two bytes. The set is shared. */
  #startingWith(bytes: Uint8Array, work: CostBudget): BitSet {
    const known = bytes.length === 1 ? this.#frequent.get(bytes[0]) : undefined;
    if (known) return known;
    const low = (bytes[0] << 16) | (bytes.length > 1 ? bytes[1] << 8 : 0);
    return this.#union(this.#listFrom(low), this.#listFrom(low + (bytes.length > 1 ? 1 << 8 : 1 << 16)), work);
  }

  /** The bytes that begin so many trigrams that a text has one of them on average, as most letters do. */
  #findFrequent(): void {
    for (let byte = 0; byte < separator; byte++) {
      const first = this.#listFrom(byte << 16);
      const end = this.#listFrom((byte + 1) << 16);
      if (this.offsets[end] - this.offsets[first] < this.size) continue;
      this.#frequent.set(byte, this.#union(first, end, new CostBudget(Number.POSITIVE_INFINITY)));
    }
  }

  #union(first: number, end: number, work: CostBudget): BitSet {
    const codes = new BitSet(this.size + 1);
    const { words } = codes;
    for (let list = first; list < end; list++) {
      const found = this.#decode(list, work);
      for (let i = 0; i < found.length; i++) words[found[i] >>> 5] |= 1 << (found[i] & 31);
    }
    return codes;
  }

  /** The list of the first trigram that is not less. */
  #listFrom(trigram: number): number {
    return firstWhere(this.trigrams.length, (list) => this.trigrams[list] >= trigram);
  }

  /** The codes of a list, valid until the next is decoded. */
  #decode(list: number, work: CostBudget): Uint32Array {
    const { gaps } = this;
    const end = this.offsets[list + 1];
    let at = this.offsets[list];
    work.charge(stepsOfList + (end - at) * stepsOfByte);
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

/** Keeps those of the first `length` codes that are among `others`, in place, and gives their number. */
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
