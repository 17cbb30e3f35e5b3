/**
 * Checks JSON in images byte by byte. Every start checks all of an image, and `JSON.parse` would take three times as long,
 * because it makes values.
 */
import { maximumJsonDepth } from '../../../model/schema/value-types.ts';

const quoteMark = 0x22;
const plus = 0x2b;
const comma = 0x2c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const lowerCase = 0x20;

/** The bytes after a backslash. */
const escapes = new Set(Buffer.from('"\\/bfnrtu'));
const letterE = 0x65;
const letterU = 0x75;
const hexDigits = new Set(Buffer.from('0123456789abcdefABCDEF'));

/** By first byte. */
const literals = new Map(['null', 'true', 'false'].map((word) => [word.charCodeAt(0), Buffer.from(word)]));

/**
 * Whether bytes `start` to `end` are a JSON value without spaces, as rows hold them, and not deeper than values may be.
 * The bytes are UTF-8.
 */
export function isJsonValue(bytes: Uint8Array, start: number, end: number): boolean {
  return start < end && endOfValue(bytes, start, end, maximumJsonDepth) === end;
}

/** Each function returns where what begins at `at` ends, at most `end`; -1 if it is wrong. */
function endOfValue(bytes: Uint8Array, at: number, end: number, depth: number): number {
  const first = bytes[at];
  if (first === quoteMark) return endOfText(bytes, at, end);
  if (first === openBrace || first === openBracket) return depth > 0 ? endOfList(bytes, at, end, depth - 1) : -1;
  const literal = literals.get(first);
  if (!literal) return endOfNumber(bytes, at, end);
  for (let i = 1; i < literal.length; i++) if (bytes[at + i] !== literal[i]) return -1;
  return at + literal.length;
}

function endOfText(bytes: Uint8Array, at: number, end: number): number {
  for (let next = at + 1; next < end; next++) {
    const byte = bytes[next];
    if (byte === quoteMark) return next + 1;
    if (byte < 0x20) return -1;
    if (byte !== backslash) continue;
    if (!escapes.has(bytes[++next])) return -1;
    if (bytes[next] !== letterU) continue;
    for (const last = next + 4; next < last; ) if (!hexDigits.has(bytes[++next])) return -1;
  }
  return -1;
}

/** An array or an object. */
function endOfList(bytes: Uint8Array, at: number, end: number, depth: number): number {
  const isObject = bytes[at] === openBrace;
  const close = isObject ? closeBrace : closeBracket;
  let next = at + 1;
  if (bytes[next] === close) return next + 1;
  while (next < end) {
    if (isObject) {
      next = bytes[next] === quoteMark ? endOfText(bytes, next, end) : -1;
      if (next < 0 || bytes[next++] !== colon) return -1;
    }
    next = endOfValue(bytes, next, end, depth);
    if (next < 0 || next >= end) return -1;
    if (bytes[next] === close) return next + 1;
    if (bytes[next++] !== comma) return -1;
  }
  return -1;
}

function endOfNumber(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at] === minus ? at + 1 : at;
  let next = endOfDigits(bytes, first, end);
  if (next === first || (bytes[first] === zero && next > first + 1)) return -1;
  if (next < end && bytes[next] === point) {
    const fraction = next + 1;
    next = endOfDigits(bytes, fraction, end);
    if (next === fraction) return -1;
  }
  if (next < end && (bytes[next] | lowerCase) === letterE) {
    next += bytes[next + 1] === plus || bytes[next + 1] === minus ? 2 : 1;
    const exponent = next;
    next = endOfDigits(bytes, exponent, end);
    if (next === exponent) return -1;
  }
  return next;
}

function endOfDigits(bytes: Uint8Array, at: number, end: number): number {
  let next = at;
  while (next < end && bytes[next] >= zero && bytes[next] <= nine) next++;
  return next;
}
