/**
 * Cuts a stream of bytes into JSON texts without building it up: a file may be larger than the largest string.
 * Both generators yield batches, one for each piece of input that ends at least one text.
 */
import { isUtf8 } from 'node:buffer';
import { limits } from './limits.ts';

/** A broken file; the message says where, the caller adds which file. */
export class BrokenFile extends Error {}

const quoteMark = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The elements of a file that holds one JSON array. */
export async function* arrayElements(input: AsyncIterable<Buffer>): AsyncGenerator<unknown[]> {
  let count = 0;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let closed = false;
  /** The start of the element that is being read, in the pieces before this one. */
  let held: Buffer[] = [];
  let heldBytes = 0;
  const parse = (piece: Buffer): unknown => {
    const bytes = held.length > 0 ? Buffer.concat([...held, piece]) : piece;
    held = [];
    heldBytes = 0;
    return parseJson(bytes, `element ${count++}`);
  };
  for await (let piece of input) {
    // a mark of byte order at the start of a file is no part of it
    if (count === 0 && depth === 0 && piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf) {
      piece = piece.subarray(3);
    }
    const batch: unknown[] = [];
    let start = 0;
    for (let i = 0; i < piece.length; i++) {
      const byte = piece[i];
      if (inString) {
        // most of a file is inside strings: the quote that may end one is looked for natively
        const found = piece.indexOf(quoteMark, i);
        const end = found < 0 ? piece.length : found;
        let run = end;
        while (run > i && piece[run - 1] === backslash) run--;
        // an odd number of backslashes escapes what follows, those at the end of the piece before counted
        const isOdd: boolean = (((end - run) & 1) === 1) !== (run === i && escaped);
        inString = found < 0 || isOdd;
        escaped = found < 0 && isOdd;
        i = end;
        continue;
      }
      if (depth === 0 && (closed || byte !== openBracket) && !isSpace(byte)) {
        throw new BrokenFile('a JSON array is expected');
      }
      if (byte === quoteMark) {
        inString = true;
      } else if (byte === openBracket || byte === 0x7b) {
        if (++depth === 1) start = i + 1;
        if (depth > limits.depth) throw new BrokenFile(`element ${count} is nested deeper than ${limits.depth} levels`);
      } else if (byte === 0x5d || byte === 0x7d) {
        if (--depth === 0) {
          if (byte !== 0x5d) throw new BrokenFile('a JSON array is expected');
          closed = true;
          const last = piece.subarray(start, i);
          const isEmpty = count === 0 && [...held, last].every((part) => part.every(isSpace));
          if (!isEmpty) batch.push(parse(last));
        }
      } else if (byte === comma && depth === 1) {
        batch.push(parse(piece.subarray(start, i)));
        start = i + 1;
      }
    }
    if (batch.length > 0) yield batch;
    if (depth > 0 && start < piece.length) {
      held.push(Buffer.from(piece.subarray(start)));
      heldBytes += piece.length - start;
      if (heldBytes > limits.elementBytes) {
        throw new BrokenFile(`element ${count} is larger than ${limits.elementBytes} bytes`);
      }
    }
  }
  if (!closed) throw new BrokenFile('the JSON array is not closed');
}

/** The values of a file that holds one JSON text a line. Empty lines are passed over. */
export async function* jsonLines(input: AsyncIterable<Buffer>): AsyncGenerator<{ line: number; value: unknown }[]> {
  let line = 0;
  let held: Buffer[] = [];
  let heldBytes = 0;
  const parse = (piece: Buffer): { line: number; value: unknown }[] => {
    const bytes = held.length > 0 ? Buffer.concat([...held, piece]) : piece;
    held = [];
    heldBytes = 0;
    line++;
    return bytes.length === 0 || bytes.every(isSpace) ? [] : [{ line, value: parseJson(bytes, `line ${line}`) }];
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

/** Parses one JSON text. `where` goes into the message of what is wrong with it. */
export function parseJson(bytes: Buffer, where: string): unknown {
  if (!isUtf8(bytes)) throw new BrokenFile(`${where} is not UTF-8`);
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    throw new BrokenFile(`${where} is not JSON: ${(error as Error).message}`);
  }
}
