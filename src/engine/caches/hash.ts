/** Hashes of 32 bits: FNV-1a over UTF-16 units, and over the two halves of a number. */

/** The hash of nothing. */
export const firstHash = 0x811c9dc5;

const prime = 0x01000193;
const number = new Float64Array(1);
const halves = new Int32Array(number.buffer);

/** Returns the hash of what `hash` stands for, followed by a text. */
export function hashText(hash: number, text: string): number {
  let next = hash;
  for (let i = 0; i < text.length; i++) next = Math.imul(next ^ text.charCodeAt(i), prime);
  return next >>> 0;
}

/** Returns the hash of what `hash` stands for, followed by a number. */
export function hashNumber(hash: number, value: number): number {
  number[0] = value;
  // the low bits of a hash choose a slot, and those of most numbers are the same
  const mixed = Math.imul(Math.imul(hash ^ halves[0], prime) ^ halves[1], prime);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
