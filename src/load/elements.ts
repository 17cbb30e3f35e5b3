/**
 * Splits a byte stream into JSON values without buffering the file, which may be larger than the longest string.
 * Both generators yield one batch for each chunk in which at least one value ends.
 */
import { isUtf8 } from 'node:buffer';
import { duplicateKeys, JsonError, parseStrictJson } from '../base/strict-json.ts';
import { ArrayFrame } from './array-frame.ts';
import { BrokenFile } from './broken-file.ts';
import { findLimitViolation, tooDeepMessage, tooManyValuesMessage } from './json-limits.ts';
import { limits } from './limits.ts';

const quoteMark = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const backslash = 0x5c;

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Strips a UTF-8 byte order mark. */
function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/**
 * Yields the elements of a JSON array, or of the array `entries` of an object. Throws a BrokenFile for invalid JSON and
 * for duplicate keys in an object.
 */
export async function* arrayElements(input: AsyncIterable<Buffer>): AsyncGenerator<unknown[]> {
  const frame = new ArrayFrame();
  let count = 0;
  let depth = 1;
  let inString = false;
  let escaped = false;
  /** Offset of the current chunk in the file. */
  let passed = 0;
  /** The part of the current element in earlier chunks. */
  let held: Buffer[] = [];
  let heldBytes = 0;
  /** Number of keys in the current element. */
  let keys = 0;
  /** Number of values in the current element. */
  let values = 0;
  const countValue = (at: number) => {
    if (++values > limits.elementValues) {
      throw new BrokenFile(`element ${count} ${tooManyValuesMessage(limits.elementValues)}`, at);
    }
  };
  const parse = (chunk: Buffer, end: number): unknown => {
    const bytes = held.length > 0 ? Buffer.concat([...held, chunk]) : chunk;
    const keyCount = keys;
    held = [];
    heldBytes = 0;
    keys = 0;
    values = 0;
    return parseElement(bytes, `element ${count++}`, passed + end - bytes.length, keyCount);
  };
  for await (const chunk of input) {
    const batch: unknown[] = [];
    let start = frame.isOpen ? 0 : frame.open(chunk);
    if (frame.isClosed) frame.close(chunk, passed);
    const end = frame.isOpen && !frame.isClosed ? chunk.length : 0;
    scan: for (let i = start; i < end; i++) {
      const byte = chunk[i];
      if (inString) {
        // most bytes are inside strings, so find the next quote with the native search
        const found = chunk.indexOf(quoteMark, i);
        const quote = found < 0 ? end : found;
        let run = quote;
        while (run > i && chunk[run - 1] === backslash) run--;
        // an odd number of backslashes escapes the quote; the run may start in the previous chunk
        const isOdd: boolean = (((quote - run) & 1) === 1) !== (run === i && escaped);
        inString = found < 0 || isOdd;
        escaped = found < 0 && isOdd;
        i = quote;
        continue;
      }
      switch (byte) {
        case quoteMark:
          inString = true;
          break;
        case colon:
          keys++;
          break;
        case comma:
          if (depth > 1) {
            countValue(passed + i);
            break;
          }
          batch.push(parse(chunk.subarray(start, i), i));
          start = i + 1;
          break;
        case openBracket:
        case openBrace:
          countValue(passed + i);
          if (++depth <= limits.depth) break;
          throw new BrokenFile(`element ${count} ${tooDeepMessage}`, passed + i);
        case closeBracket:
        case closeBrace: {
          if (--depth > 0) break;
          const last = chunk.subarray(start, i);
          const isEmpty = count === 0 && byte === closeBracket && [...held, last].every((part) => part.every(isSpace));
          if (!isEmpty) batch.push(parse(last, i));
          if (byte !== closeBracket) throw new BrokenFile('expected "," or "]"', passed + i);
          frame.close(chunk.subarray(i), passed + i);
          break scan;
        }
      }
    }
    if (batch.length > 0) yield batch;
    if (frame.isOpen && !frame.isClosed && start < chunk.length) {
      held.push(Buffer.from(chunk.subarray(start)));
      heldBytes += chunk.length - start;
      if (heldBytes > limits.elementBytes) {
        const at = passed + chunk.length - heldBytes;
        throw new BrokenFile(`element ${count} is larger than ${limits.elementBytes} bytes`, at);
      }
    }
    passed += chunk.length;
  }
  if (frame.isOpen && !frame.isClosed) {
    // after a missing quote, the rest of the file looks like one element
    const rest = Buffer.concat(held);
    if (!rest.every(isSpace)) parseElement(rest, `element ${count}`, passed - rest.length, keys);
    throw new BrokenFile('the JSON array is not closed: expected "]"', passed);
  }
  frame.finish();
}

/** Yields the values of a JSON Lines file with their line numbers. Skips empty lines. */
export async function* jsonLines(input: AsyncIterable<Buffer>): AsyncGenerator<{ line: number; value: unknown }[]> {
  let line = 0;
  let held: Buffer[] = [];
  let heldBytes = 0;
  let blankBytes = 0;
  const parse = (chunk: Buffer): { line: number; value: unknown }[] => {
    let bytes = held.length > 0 ? Buffer.concat([...held, chunk]) : chunk;
    held = [];
    heldBytes = 0;
    line++;
    if (line === 1) bytes = withoutByteOrderMark(bytes);
    if (bytes.length > 0 && !bytes.every(isSpace)) return [{ line, value: parseLine(bytes, line) }];
    blankBytes += bytes.length + 1;
    if (blankBytes <= limits.blankBytes) return [];
    throw new BrokenFile(`line ${line}: the file has more than ${limits.blankBytes} bytes of empty lines`);
  };
  for await (const chunk of input) {
    const batch: { line: number; value: unknown }[] = [];
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      batch.push(...parse(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) held.push(Buffer.from(chunk.subarray(start)));
    heldBytes += chunk.length - start;
    if (heldBytes > limits.elementBytes) {
      throw new BrokenFile(`line ${line + 1} is larger than ${limits.elementBytes} bytes`);
    }
    if (batch.length > 0) yield batch;
  }
  if (heldBytes > 0) {
    const rest = parse(Buffer.alloc(0));
    if (rest.length > 0) yield rest;
  }
}

function parseLine(bytes: Buffer, line: number): unknown {
  const violation = findLimitViolation(bytes);
  if (violation) throw new BrokenFile(`line ${line} ${violation.message} (byte ${violation.offset + 1} of the line)`);
  try {
    return parseJson(bytes, `line ${line}`);
  } catch (error) {
    if (!(error instanceof BrokenFile) || error.offset === null) throw error;
    throw new BrokenFile(`${error.message} (byte ${error.offset + 1} of the line)`);
  }
}

/**
 * Parses one JSON value. Throws a BrokenFile for invalid JSON. `where` names the value in the message. `start` is its
 * byte offset in the file.
 */
export function parseJson(bytes: Buffer, where: string, start = 0): unknown {
  if (!isUtf8(bytes)) throw new BrokenFile(`${where} is not UTF-8`, start);
  const text = bytes.toString();
  try {
    return JSON.parse(text);
  } catch {
    return throwSyntaxError(text, where, start);
  }
}

/** Throws a BrokenFile with the position of the syntax error. */
function throwSyntaxError(text: string, where: string, start: number): never {
  try {
    parseStrictJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const at = error.offset === null ? null : start + Buffer.byteLength(text.slice(0, error.offset));
    throw new BrokenFile(`${where} is invalid JSON: ${error.message}`, at);
  }
  throw new Error('unreachable');
}

/** Parses an element. `keys` is the number of keys in the text. If the value has fewer, a key is duplicated. */
function parseElement(bytes: Buffer, where: string, start: number, keys: number): unknown {
  const value = parseJson(bytes, where, start);
  if (keys === countKeys(value)) return value;
  const text = bytes.toString();
  const [{ message, offset }] = duplicateKeys(text);
  throw new BrokenFile(`${where}: ${message}`, start + Buffer.byteLength(text.slice(0, offset)));
}

/** Counts the keys of all objects in a value. The scanner has already limited the depth. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (typeof value[i] === 'object') count += countKeys(value[i]);
    return count;
  }
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    count += typeof inner === 'object' ? 1 + countKeys(inner) : 1;
  }
  return count;
}
