/**
 * Splits a byte stream into JSON values without buffering the file, which may be larger than the longest string.
 * All generators yield one batch for each chunk in which at least one value ends.
 */
import { isUtf8 } from 'node:buffer';
import { readJsonInSteps } from '../../core/json-reader.ts';
import { closeBracket, comma, isSpace } from '../../core/json-tokens.ts';
import { runAtOnce } from '../../core/steps.ts';
import { limits } from '../limits.ts';
import { ArrayFrame, checkLimits, ElementScanner } from './element-scanner.ts';
import { BrokenFile, withoutByteOrderMark } from './json-file.ts';

const newline = 0x0a;

/** The part of a value that earlier chunks hold. */
class HeldBytes {
  #parts: Buffer[] = [];
  length = 0;

  /** Holds a copy. */
  add(part: Buffer): void {
    if (part.length > 0) this.#parts.push(Buffer.from(part));
    this.length += part.length;
  }

  /** Returns the bytes of a value that ends with `last`. Nothing is held then. */
  take(last: Buffer = Buffer.alloc(0)): Buffer {
    const bytes = this.#parts.length > 0 ? Buffer.concat([...this.#parts, last]) : last;
    this.#parts = [];
    this.length = 0;
    return bytes;
  }
}

/**
 * Yields the elements of a JSON array, or of the array `entries` of an object. Throws a BrokenFile for invalid JSON and
 * for duplicate keys in an object.
 */
export async function* arrayElements(input: AsyncIterable<Buffer>): AsyncGenerator<unknown[]> {
  const frame = new ArrayFrame();
  const scanner = new ElementScanner();
  const held = new HeldBytes();
  /** Offset of the current chunk in the file. */
  let passed = 0;
  const parse = (bytes: Buffer, end: number): unknown =>
    parseWithoutDuplicates(bytes, `element ${scanner.index}`, end - bytes.length, scanner.keys);
  for await (const chunk of input) {
    const batch: unknown[] = [];
    let start = frame.isOpen ? 0 : frame.open(chunk);
    if (frame.isClosed) frame.close(chunk, passed);
    while (frame.isOpen && !frame.isClosed && start < chunk.length) {
      const end = scanner.findEnd(chunk, start, passed);
      if (end === chunk.length) break;
      const bytes = held.take(chunk.subarray(start, end));
      const isEmptyArray = scanner.index === 0 && chunk[end] === closeBracket && bytes.every(isSpace);
      if (!isEmptyArray) batch.push(parse(bytes, passed + end));
      scanner.next();
      start = end + 1;
      if (chunk[end] === comma) continue;
      if (chunk[end] !== closeBracket) throw new BrokenFile('expected "," or "]"', passed + end);
      frame.close(chunk.subarray(end), passed + end);
    }
    if (batch.length > 0) yield batch;
    passed += chunk.length;
    if (!frame.isOpen || frame.isClosed) continue;
    held.add(chunk.subarray(start));
    if (held.length > limits.elementBytes) {
      const message = `element ${scanner.index} is larger than ${limits.elementBytes} bytes`;
      throw new BrokenFile(message, passed - held.length);
    }
  }
  if (frame.isOpen && !frame.isClosed) {
    // after a missing quote, the rest of the file looks like one element
    const rest = held.take();
    if (!rest.every(isSpace)) parse(rest, passed);
    throw new BrokenFile('the JSON array is not closed: expected "]"', passed);
  }
  frame.finish();
}

/** Yields the values of a JSON Lines file with their line numbers. Skips empty lines. */
export async function* jsonLines(input: AsyncIterable<Buffer>): AsyncGenerator<{ line: number; value: unknown }[]> {
  for await (const lines of rawLines(input)) {
    yield lines.map(({ line, bytes }) => ({ line, value: parseLine(bytes, line) }));
  }
}

/** A line without its line feed. Lines are counted from 1. */
export interface RawLine {
  readonly line: number;
  readonly bytes: Buffer;
}

/**
 * Yields the lines of a file that are not empty, without a byte order mark. Throws a BrokenFile for a line of more than
 * `maxBytes`, and for many empty lines.
 */
export async function* rawLines(
  input: AsyncIterable<Buffer>,
  maxBytes: number = limits.elementBytes,
): AsyncGenerator<RawLine[]> {
  const held = new HeldBytes();
  let line = 0;
  let blankBytes = 0;
  const take = (last?: Buffer): RawLine[] => {
    let bytes = held.take(last);
    line++;
    if (line === 1) bytes = withoutByteOrderMark(bytes);
    if (bytes.length > maxBytes) throw new BrokenFile(`line ${line} is larger than ${maxBytes} bytes`);
    if (bytes.length > 0 && !bytes.every(isSpace)) return [{ line, bytes }];
    blankBytes += bytes.length + 1;
    if (blankBytes <= limits.blankBytes) return [];
    throw new BrokenFile(`line ${line}: the file has more than ${limits.blankBytes} bytes of empty lines`);
  };
  for await (const chunk of input) {
    const batch: RawLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      batch.push(...take(chunk.subarray(start, end)));
      start = end + 1;
    }
    held.add(chunk.subarray(start));
    if (held.length > maxBytes) throw new BrokenFile(`line ${line + 1} is larger than ${maxBytes} bytes`);
    if (batch.length > 0) yield batch;
  }
  if (held.length > 0) {
    const rest = take();
    if (rest.length > 0) yield rest;
  }
}

function parseLine(bytes: Buffer, line: number): unknown {
  const name = `line ${line}`;
  try {
    checkLimits(bytes, name);
    return parseJson(bytes, name);
  } catch (error) {
    if (!(error instanceof BrokenFile) || error.offset === null) throw error;
    throw new BrokenFile(`${error.message} (byte ${error.offset + 1} of the line)`);
  }
}

/**
 * Parses one JSON value. Throws a BrokenFile for invalid JSON. `where` names the value in the message. `start` is its
 * byte offset in the file.
 */
function parseJson(bytes: Buffer, where: string, start = 0): unknown {
  if (!isUtf8(bytes)) throw new BrokenFile(`${where} is not UTF-8`, start);
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return throwSyntaxError(bytes, where, start);
  }
}

/** Throws a BrokenFile with the position of the syntax error. */
function throwSyntaxError(bytes: Buffer, where: string, start: number): never {
  const { error } = runAtOnce(readJsonInSteps(bytes));
  throw new BrokenFile(`${where} is invalid JSON: ${error!.message}`, start + error!.place.offset);
}

/**
 * Parses a value as `parseJson` does, and rejects duplicate keys. `keys` is the number of keys in the text: if the
 * value has fewer, one is duplicated.
 */
function parseWithoutDuplicates(bytes: Buffer, where: string, start: number, keys: number): unknown {
  const value = parseJson(bytes, where, start);
  if (keys === countKeys(value)) return value;
  const [{ message, place }] = runAtOnce(readJsonInSteps(bytes)).duplicates;
  throw new BrokenFile(`${where}: ${message}`, start + place.offset);
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
