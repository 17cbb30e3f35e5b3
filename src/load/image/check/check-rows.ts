import { isUtf8 } from 'node:buffer';
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quoteMark,
} from '../../../core/json-tokens.ts';
import { maximumJsonDepth } from '../../../model/schema/value-types.ts';
import type { JsonRows } from '../../../store/json-rows.ts';
import { check, type Finding, hasLength, type Rules, wrongItem } from './invariants.ts';

interface CheckedRows {
  readonly rows: JsonRows;
  readonly rowCount: number;
}

/** Checks that each fragment of the rows is the name of its attribute and a JSON value, and that they fill the bytes. */
export function checkRows(name: string, rows: JsonRows, rowCount: number): void {
  check(name, rowRules, { rows, rowCount });
}

const rowRules: Rules<CheckedRows> = [
  ['starts', ({ rows, rowCount }) => hasLength(rows.starts, rowCount)],
  ['offsets', ({ rows, rowCount }) => hasLength(rows.offsets, rowCount * (rows.names.length + 1))],
  ['offsets', haveRisingOffsets],
  ['starts', followEachOther],
  ['bytes', areFragments],
];

function haveRisingOffsets({ rows: { offsets, names } }: CheckedRows): Finding {
  const stride = names.length + 1;
  for (let i = 0; i < offsets.length; i++) {
    if (i % stride === 0) {
      if (offsets[i] !== 0) return wrongItem(i, offsets[i], '0');
    } else if (offsets[i] < offsets[i - 1]) return wrongItem(i, offsets[i], `at least ${offsets[i - 1]}`);
  }
  return null;
}

/** The rows fill the bytes, in their order. */
function followEachOther({ rows, rowCount }: CheckedRows): Finding {
  let end = 0;
  for (let row = 0; row < rowCount; row++) {
    if (rows.starts[row] !== end) return wrongItem(row, rows.starts[row], String(end));
    end += rows.bytesOf(row);
  }
  return end === rows.bytes.length ? null : `the rows have ${end} of ${rows.bytes.length} bytes`;
}

/** Bytes of rows whose characters are checked at a time. */
const pieceBytes = 2 ** 20;

function areFragments({ rows, rowCount }: CheckedRows): Finding {
  const { bytes, offsets, names } = rows;
  const keys = names.map((name, i) => Buffer.from(`${i > 0 ? ',' : ''}${JSON.stringify(name)}:`));
  const wrong = (row: number, i: number, expected: string) => {
    return `row ${row} has no ${expected} of ${JSON.stringify(names[i])} from byte ${rows.starts[row] + offsets[row * stride + i]}`;
  };
  const stride = names.length + 1;
  let pieceStart = 0;
  for (let row = 0; row < rowCount; row++) {
    const first = row * stride;
    const [rowStart, rowEnd] = rows.bounds(row);
    // a character cannot go on in the next row, which begins with a quote
    if (rowEnd - pieceStart >= pieceBytes || row === rowCount - 1) {
      if (!isUtf8(bytes.subarray(pieceStart, rowEnd))) return `one of the rows up to ${row} is not UTF-8`;
      pieceStart = rowEnd;
    }
    for (let i = 0; i < names.length; i++) {
      const start = rowStart + offsets[first + i];
      const end = rowStart + offsets[first + i + 1];
      if (!startsWith(bytes, start, end, keys[i])) return wrong(row, i, 'name');
      if (!isJsonValue(bytes, start + keys[i].length, end)) return wrong(row, i, 'value');
    }
  }
  return null;
}

function startsWith(bytes: Uint8Array, start: number, end: number, key: Buffer): boolean {
  if (start + key.length > end) return false;
  let i = 0;
  while (i < key.length && bytes[start + i] === key[i]) i++;
  return i === key.length;
}

const plus = 0x2b;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
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
 * The bytes are UTF-8. Every start checks all of an image, and `JSON.parse` would take three times as long, because it
 * makes values.
 */
function isJsonValue(bytes: Uint8Array, start: number, end: number): boolean {
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
