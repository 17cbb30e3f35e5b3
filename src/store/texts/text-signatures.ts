import { BitSet, wordCount } from '../../core/sets/bit-set.ts';
import { lowerCased } from './pattern.ts';

/** Hashes for each byte of a text: with two per byte, at most a fifth of the bits of a text is set. */
const hashesPerByte = 8;
const leastHashes = 512;
const mostHashes = 8192;

/**
 * Bit-sliced signatures of texts: for each hash, which texts may hold two or three adjacent bytes with that hash. Texts
 * are only added, each with a number of its own. So a batch of changes adds its own texts, and dictionaries that know
 * fewer texts still find theirs. With an average length of n bytes, they take at most 2 n bytes a text, and 1 KiB.
 */
export class TextSignatures {
  readonly #hashCount: number;
  /** For each hash the words of a bit set of texts, one after the other. */
  #slices: Uint32Array;
  #wordsPerSlice: number;
  #size = 0;

  /** For about `count` texts of `averageLength` bytes. */
  constructor(averageLength: number, count: number) {
    const wanted = 2 ** Math.ceil(Math.log2(hashesPerByte * averageLength));
    this.#hashCount = Math.min(mostHashes, Math.max(leastHashes, wanted));
    this.#wordsPerSlice = wordCount(count) + 1;
    this.#slices = new Uint32Array(this.#hashCount * this.#wordsPerSlice);
  }

  /** How many texts were added. */
  get size(): number {
    return this.#size;
  }

  /** Adds a text in any case, with its separators. Returns its number. */
  add(text: Uint8Array): number {
    const number = this.#size++;
    if (number >>> 5 === this.#wordsPerSlice) this.#grow();
    const slices = this.#slices;
    const stride = this.#wordsPerSlice;
    const mask = this.#hashCount - 1;
    const bit = 1 << (number & 31);
    const word = number >>> 5;
    let last = lowerCased[text[0]];
    let beforeLast = -1;
    for (let at = 1; at < text.length; at++) {
      const byte = lowerCased[text[at]];
      slices[(hashOfTwo(last, byte) & mask) * stride + word] |= bit;
      if (beforeLast >= 0) slices[(hashOfThree(beforeLast, last, byte) & mask) * stride + word] |= bit;
      beforeLast = last;
      last = byte;
    }
    return number;
  }

  /** Returns the numbers of the texts that may contain a folded pattern of at least two bytes. */
  candidates(pattern: Uint8Array): BitSet {
    const found = BitSet.full(this.#size);
    const mask = this.#hashCount - 1;
    for (let at = 1; at < pattern.length; at++) {
      this.#keep(found, hashOfTwo(pattern[at - 1], pattern[at]) & mask);
      if (at > 1) this.#keep(found, hashOfThree(pattern[at - 2], pattern[at - 1], pattern[at]) & mask);
    }
    return found;
  }

  #keep({ words }: BitSet, hash: number): void {
    const slices = this.#slices;
    const first = hash * this.#wordsPerSlice;
    for (let i = 0; i < words.length; i++) words[i] &= slices[first + i];
  }

  #grow(): void {
    const slices = new Uint32Array(this.#slices.length * 2);
    const before = this.#wordsPerSlice;
    for (let hash = 0; hash < this.#hashCount; hash++) {
      slices.set(this.#slices.subarray(hash * before, (hash + 1) * before), hash * before * 2);
    }
    this.#slices = slices;
    this.#wordsPerSlice = before * 2;
  }
}

function hashOfTwo(first: number, second: number): number {
  return Math.imul((first << 8) | second, 0x9e3779b1) >>> 15;
}

function hashOfThree(first: number, second: number, third: number): number {
  return Math.imul((first << 16) | (second << 8) | third, 0x85ebca6b) >>> 15;
}
