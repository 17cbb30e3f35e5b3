import { lowerCased } from './pattern.ts';

/** Hashes for each byte of a text: with two per byte, at most a fifth of the bits of a text is set. */
const hashesPerByte = 8;
const leastHashes = 64;
const mostHashes = 8192;

/**
 * Returns the signature of a text in any case, with its separators: the set of the hashes of two and of three adjacent
 * bytes. A text of n bytes has one of at most 2 n bytes, or of 8.
 */
export function signatureOf(text: Uint8Array): Uint32Array {
  const wanted = 2 ** Math.ceil(Math.log2(hashesPerByte * text.length));
  const size = Math.min(mostHashes, Math.max(leastHashes, wanted));
  const words = new Uint32Array(size >>> 5);
  const add = (hash: number) => {
    const bit = hash & (size - 1);
    words[bit >>> 5] |= 1 << (bit & 31);
  };
  let last = lowerCased[text[0]];
  let beforeLast = -1;
  for (let at = 1; at < text.length; at++) {
    const byte = lowerCased[text[at]];
    add(hashOfTwo(last, byte));
    if (beforeLast >= 0) add(hashOfThree(beforeLast, last, byte));
    beforeLast = last;
    last = byte;
  }
  return words;
}

/** Returns the hashes of a folded pattern of at least two bytes, those of three bytes first. */
export function hashesOf(pattern: Uint8Array): number[] {
  const hashes: number[] = [];
  for (let at = 2; at < pattern.length; at++) hashes.push(hashOfThree(pattern[at - 2], pattern[at - 1], pattern[at]));
  for (let at = 1; at < pattern.length; at++) hashes.push(hashOfTwo(pattern[at - 1], pattern[at]));
  return hashes;
}

/** Returns whether the text of a signature may contain the pattern of some hashes. */
export function mayContain(signature: Uint32Array, hashes: readonly number[]): boolean {
  const mask = signature.length * 32 - 1;
  for (let i = 0; i < hashes.length; i++) {
    const bit = hashes[i] & mask;
    if (((signature[bit >>> 5] >>> (bit & 31)) & 1) === 0) return false;
  }
  return true;
}

function hashOfTwo(first: number, second: number): number {
  return Math.imul((first << 8) | second, 0x9e3779b1) >>> 15;
}

function hashOfThree(first: number, second: number, third: number): number {
  return Math.imul((first << 16) | (second << 8) | third, 0x85ebca6b) >>> 15;
}
