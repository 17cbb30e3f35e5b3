/**
 * Cuts a stream of bytes into JSON texts without building it up: a file may be larger than the largest string.
 * Both generators yield batches, one for each piece of input that ends at least one text.
 */
import { isUtf8 } from 'node:buffer';
import { duplicateKeys, JsonError, parseStrictJson } from '../base/strict-json.ts';
import { ArrayFrame } from './array-frame.ts';
import { BrokenFile } from './broken-file.ts';
import { excessOf, tooDeep, tooManyValues } from './json-extent.ts';
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

/** The bytes without a byte order mark at their start. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/**
 * The elements of a file that holds one JSON array, or an object with the array as its `entries`. Throws a BrokenFile
 * for an element that is no JSON, or that has a key twice in one object.
 */
export async function* arrayElements(input: AsyncIterable<Buffer>): AsyncGenerator<unknown[]> {
  const frame = new ArrayFrame();
  let count = 0;
  let depth = 1;
  let inString = false;
  let escaped = false;
  /** Bytes of the pieces before this one. */
  let passed = 0;
  /** The start of the element that is being read, in the pieces before this one. */
  let held: Buffer[] = [];
  let heldBytes = 0;
  /** How many keys are written in the element. */
  let keys = 0;
  /** How many values are in the element. */
  let values = 0;
  const countValue = (at: number) => {
    if (++values > limits.elementValues) {
      throw new BrokenFile(`element ${count} ${tooManyValues(limits.elementValues)}`, at);
    }
  };
  const parse = (piece: Buffer, end: number): unknown => {
    const bytes = held.length > 0 ? Buffer.concat([...held, piece]) : piece;
    const written = keys;
    held = [];
    heldBytes = 0;
    keys = 0;
    values = 0;
    return parseElement(bytes, `element ${count++}`, passed + end - bytes.length, written);
  };
  for await (const piece of input) {
    const batch: unknown[] = [];
    let start = frame.isOpen ? 0 : frame.open(piece);
    if (frame.isClosed) frame.close(piece, passed);
    const end = frame.isOpen && !frame.isClosed ? piece.length : 0;
    scan: for (let i = start; i < end; i++) {
      const byte = piece[i];
      if (inString) {
        // most of a file is inside strings: the quote that may end one is looked for natively
        const found = piece.indexOf(quoteMark, i);
        const quote = found < 0 ? end : found;
        let run = quote;
        while (run > i && piece[run - 1] === backslash) run--;
        // an odd number of backslashes escapes what follows, those at the end of the piece before counted
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
          batch.push(parse(piece.subarray(start, i), i));
          start = i + 1;
          break;
        case openBracket:
        case openBrace:
          countValue(passed + i);
          if (++depth <= limits.depth) break;
          throw new BrokenFile(`element ${count} ${tooDeep}`, passed + i);
        case closeBracket:
        case closeBrace: {
          if (--depth > 0) break;
          const last = piece.subarray(start, i);
          const isEmpty = count === 0 && byte === closeBracket && [...held, last].every((part) => part.every(isSpace));
          if (!isEmpty) batch.push(parse(last, i));
          if (byte !== closeBracket) throw new BrokenFile('expected "," or "]"', passed + i);
          frame.close(piece.subarray(i), passed + i);
          break scan;
        }
      }
    }
    if (batch.length > 0) yield batch;
    if (frame.isOpen && !frame.isClosed && start < piece.length) {
      held.push(Buffer.from(piece.subarray(start)));
      heldBytes += piece.length - start;
      if (heldBytes > limits.elementBytes) {
        const at = passed + piece.length - heldBytes;
        throw new BrokenFile(`element ${count} is larger than ${limits.elementBytes} bytes`, at);
      }
    }
    passed += piece.length;
  }
  if (frame.isOpen && !frame.isClosed) {
    // a quote that is missing lets the rest of the file pass for one element
    const rest = Buffer.concat(held);
    if (!rest.every(isSpace)) parseElement(rest, `element ${count}`, passed - rest.length, keys);
    throw new BrokenFile('the JSON array is not closed: expected "]"', passed);
  }
  frame.finish();
}

/** The values of a file that holds one JSON text a line. Empty lines are passed over. */
export async function* jsonLines(input: AsyncIterable<Buffer>): AsyncGenerator<{ line: number; value: unknown }[]> {
  let line = 0;
  let held: Buffer[] = [];
  let heldBytes = 0;
  let blankBytes = 0;
  const parse = (piece: Buffer): { line: number; value: unknown }[] => {
    let bytes = held.length > 0 ? Buffer.concat([...held, piece]) : piece;
    held = [];
    heldBytes = 0;
    line++;
    if (line === 1) bytes = withoutMark(bytes);
    if (bytes.length > 0 && !bytes.every(isSpace)) return [{ line, value: parseLine(bytes, line) }];
    blankBytes += bytes.length + 1;
    if (blankBytes <= limits.blankBytes) return [];
    throw new BrokenFile(`line ${line}: more than ${limits.blankBytes} bytes of the file are empty lines`);
  };
  for await (const piece of input) {
    const batch: { line: number; value: unknown }[] = [];
    let start = 0;
    for (let end = piece.indexOf(0x0a); end >= 0; end = piece.indexOf(0x0a, start)) {
      batch.push(...parse(piece.subarray(start, end)));
      start = end + 1;
    }
    if (start < piece.length) held.push(Buffer.from(piece.subarray(start)));
    heldBytes += piece.length - start;
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
  const excess = excessOf(bytes);
  if (excess) throw new BrokenFile(`line ${line} ${excess.message} (byte ${excess.offset + 1} of the line)`);
  try {
    return parseJson(bytes, `line ${line}`);
  } catch (error) {
    if (!(error instanceof BrokenFile) || error.offset === null) throw error;
    throw new BrokenFile(`${error.message} (byte ${error.offset + 1} of the line)`);
  }
}

/**
 * Parses one JSON text, which begins at byte `start` of its file. `where` goes into the message of what is wrong with
 * it.
 */
export function parseJson(bytes: Buffer, where: string, start = 0): unknown {
  if (!isUtf8(bytes)) throw new BrokenFile(`${where} is not UTF-8`, start);
  const text = bytes.toString();
  try {
    return JSON.parse(text);
  } catch {
    return explainJson(text, where, start);
  }
}

/** Throws a BrokenFile that says where the text is no JSON. */
function explainJson(text: string, where: string, start: number): never {
  try {
    parseStrictJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const at = error.offset === null ? null : start + Buffer.byteLength(text.slice(0, error.offset));
    throw new BrokenFile(`${where} is not JSON: ${error.message}`, at);
  }
  throw new Error('unreachable');
}

/** `keys` is how many keys are written in the element: more than it has then means that one is given twice. */
function parseElement(bytes: Buffer, where: string, start: number, keys: number): unknown {
  const value = parseJson(bytes, where, start);
  if (keys === countKeys(value)) return value;
  const text = bytes.toString();
  const [{ message, offset }] = duplicateKeys(text);
  throw new BrokenFile(`${where}: ${message}`, start + Buffer.byteLength(text.slice(0, offset)));
}

/** How many keys all objects in a value have together. The scanner bounds how deep it is nested. */
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
