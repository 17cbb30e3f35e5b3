/** Bytes that a search looks for, in texts that stand between separators. */
import type { Anchor } from '../dictionary.ts';

/**
 * Stands before the first value of a dictionary and after each: a byte that UTF-8 never has, greater than all it has.
 */
export const separator = 0xff;

/** What each byte is read as: itself, or a capital letter of ASCII as the small one. */
export const asItIs = Uint8Array.from({ length: 256 }, (_, byte) => byte);
export const lowered = asItIs.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));

/** In a pattern: any one character. No UTF-8 has this byte either. */
const gap = 0xfe;

/** The bytes of a needle, between those separators that its place asks for. */
export function anchored(needle: string, anchor: Anchor): Buffer {
  const edge = Buffer.from([separator]);
  const parts = [Buffer.from(needle)];
  if (anchor === 'gaps') return parts[0].map((byte) => (byte === 0x5f ? gap : byte)) as Buffer;
  if (anchor === 'start' || anchor === 'whole') parts.unshift(edge);
  if (anchor === 'end' || anchor === 'whole') parts.push(edge);
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

/** Whether the bytes from `start` to `end`, each read through a table, hold a pattern. */
export function holds(bytes: Buffer, start: number, end: number, table: Uint8Array, pattern: Buffer): boolean {
  const first = pattern[0];
  const { length } = pattern;
  if (length === 0) return true;
  for (let at = start, last = end - length; at <= last; at++) {
    if (table[bytes[at]] !== first) continue;
    let i = 1;
    while (i < length && table[bytes[at + i]] === pattern[i]) i++;
    if (i === length) return true;
  }
  return false;
}

/**
 * Whether a pattern stands at one place of the bytes, each read through a table. A place so near the start of a value
 * that the pattern would begin in the one before is none: the separator between them is no byte of a needle.
 */
export function standsAt(bytes: Buffer, at: number, table: Uint8Array, pattern: Buffer): boolean {
  let i = 0;
  while (i < pattern.length && table[bytes[at + i]] === pattern[i]) i++;
  return i === pattern.length;
}

/** Whether the characters from `start` to `end`, each byte read through a table, hold a pattern with gaps. */
export function holdsWithGaps(bytes: Buffer, start: number, end: number, table: Uint8Array, pattern: Buffer): boolean {
  const first = pattern[0];
  // each part of the pattern takes a byte or more
  for (let at = start, last = end - pattern.length; at <= last; at++) {
    if (first === gap ? isInside(bytes[at]) : table[bytes[at]] !== first) continue;
    let i = 0;
    for (let place = at; i < pattern.length && place < end; i++) {
      if (pattern[i] !== gap && table[bytes[place]] !== pattern[i]) break;
      place++;
      if (pattern[i] === gap) while (place < end && isInside(bytes[place])) place++;
    }
    if (i === pattern.length) return true;
  }
  return false;
}

/** Whether a byte goes on with a character that an earlier one began. */
function isInside(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** How many gaps stand side by side at most: so many characters are passed at any place of a text, whatever they are. */
export function longestGap(pattern: Buffer): number {
  let longest = 0;
  let length = 0;
  for (const byte of pattern) {
    length = byte === gap ? length + 1 : 0;
    longest = Math.max(longest, length);
  }
  return longest;
}

export function startsWithGap(pattern: Buffer): boolean {
  return pattern[0] === gap;
}

/** The longest part of a pattern without gaps. */
export function longestPart(pattern: Buffer): Buffer {
  let longest = pattern.subarray(0, 0);
  for (let start = 0; start < pattern.length; ) {
    const found = pattern.indexOf(gap, start);
    const end = found < 0 ? pattern.length : found;
    if (end - start > longest.length) longest = pattern.subarray(start, end);
    start = end + 1;
  }
  return longest;
}
