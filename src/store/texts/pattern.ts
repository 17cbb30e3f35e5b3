/** Byte patterns, and how they are found in texts that have a separator before and after them. */
import { foldCase } from '../../model/schema/compared-texts.ts';

/** How a text is compared with a needle. `wildcard`: anywhere, and each `_` matches any one character. */
export type MatchMode = 'anywhere' | 'start' | 'end' | 'whole' | 'wildcard';

/**
 * How the case of letters counts: as it is, not at all, or for all letters but A to Z. With `ascii`, numbers and dates
 * are texts in the form that SQLite stores. With `mysql`, they are texts as MySQL casts them, and other texts are compared
 * as they are.
 */
export type CaseRule = 'exact' | 'folded' | 'ascii' | 'mysql';

/** Returns a needle as its rule compares it. */
export function needleFor(needle: string, rule: CaseRule): string {
  if (rule === 'exact' || rule === 'mysql') return needle;
  return rule === 'folded' ? foldCase(needle) : needle.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The byte before the first value of a dictionary and after each value. UTF-8 never has it, and no byte is greater. */
export const separator = 0xff;

/** Tables through which the bytes of a text are read: as they are, or with A to Z in lower case. */
export const unchanged = Uint8Array.from({ length: 256 }, (_, byte) => byte);
export const lowerCased = unchanged.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));

/** In a pattern: any one character. UTF-8 never has this byte either. */
const wildcard = 0xfe;

/** The bytes of a needle, with the separators that its mode asks for. */
export function patternFor(needle: string, mode: MatchMode): Buffer {
  const edge = Buffer.from([separator]);
  const parts = [Buffer.from(needle)];
  if (mode === 'wildcard') return parts[0].map((byte) => (byte === 0x5f ? wildcard : byte)) as Buffer;
  if (mode === 'start' || mode === 'whole') parts.unshift(edge);
  if (mode === 'end' || mode === 'whole') parts.push(edge);
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

/**
 * Whether the text from `start` to `end` matches the pattern of a needle. The bytes are read through `table`, and the
 * separators are at `start` - 1 and `end`.
 */
export function matchesPattern(
  bytes: Uint8Array,
  start: number,
  end: number,
  table: Uint8Array,
  pattern: Uint8Array,
  mode: MatchMode,
): boolean {
  switch (mode) {
    case 'anywhere':
      return contains(bytes, start, end, table, pattern);
    case 'wildcard':
      return containsWildcards(bytes, start, end, table, pattern);
    case 'end':
      return matchesAt(bytes, end + 1 - pattern.length, table, pattern);
    case 'start':
    case 'whole':
      return matchesAt(bytes, start - 1, table, pattern);
  }
}

function contains(bytes: Uint8Array, start: number, end: number, table: Uint8Array, pattern: Uint8Array): boolean {
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
 * May read bytes of an earlier text. They do not match: the pattern would need a separator between two of its bytes.
 */
function matchesAt(bytes: Uint8Array, at: number, table: Uint8Array, pattern: Uint8Array): boolean {
  let i = 0;
  while (i < pattern.length && table[bytes[at + i]] === pattern[i]) i++;
  return i === pattern.length;
}

function containsWildcards(
  bytes: Uint8Array,
  start: number,
  end: number,
  table: Uint8Array,
  pattern: Uint8Array,
): boolean {
  const first = pattern[0];
  // every byte of the pattern matches at least one byte
  for (let at = start, last = end - pattern.length; at <= last; at++) {
    if (first === wildcard ? isContinuation(bytes[at]) : table[bytes[at]] !== first) continue;
    let i = 0;
    for (let place = at; i < pattern.length && place < end; i++) {
      if (pattern[i] !== wildcard && table[bytes[place]] !== pattern[i]) break;
      place++;
      if (pattern[i] === wildcard) while (place < end && isContinuation(bytes[place])) place++;
    }
    if (i === pattern.length) return true;
  }
  return false;
}

/** Whether a byte continues a character of UTF-8. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** The most wildcards in a row: at every place of a text, that many characters match whatever they are. */
export function longestWildcardRun(pattern: Uint8Array): number {
  let longest = 0;
  let length = 0;
  for (const byte of pattern) {
    length = byte === wildcard ? length + 1 : 0;
    longest = Math.max(longest, length);
  }
  return longest;
}

export function startsWithWildcard(pattern: Uint8Array): boolean {
  return pattern[0] === wildcard;
}

/** The longest part of a pattern without wildcards. */
export function longestLiteral(pattern: Buffer): Buffer {
  let longest = pattern.subarray(0, 0);
  for (let start = 0; start < pattern.length; ) {
    const found = pattern.indexOf(wildcard, start);
    const end = found < 0 ? pattern.length : found;
    if (end - start > longest.length) longest = pattern.subarray(start, end);
    start = end + 1;
  }
  return longest;
}
