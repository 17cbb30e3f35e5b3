import { readJsonInSteps, tooDeepMessage, tooManyValuesMessage } from '../../core/json-reader.ts';
import {
  closeBrace,
  closeBracket,
  closingQuote,
  colon,
  comma,
  isEscapedAt,
  openBrace,
  openBracket,
  quoteMark,
} from '../../core/json-tokens.ts';
import { runAtOnce } from '../../core/steps.ts';
import { limits } from '../limits.ts';
import { BrokenFile } from './json-file.ts';

/**
 * Finds the ends of JSON values that follow one another, one chunk after the other, without parsing them. Throws a
 * BrokenFile if a value is nested too deep or holds too many values.
 */
export class ElementScanner {
  /** Number of elements before the current one. */
  index = 0;
  /** Number of keys in the current element so far. */
  keys = 0;
  readonly #maxValues: number;
  readonly #name: string | null;
  /** Levels of arrays and objects around the elements. */
  readonly #levels: number;
  #values = 0;
  /** Levels of arrays and objects, with those around the elements. */
  #depth: number;
  #inString = false;
  /** The previous chunk ends inside a string, with a backslash that escapes the next byte. */
  #isEscaped = false;

  /** `name` is that of each element in messages. Default: its index. */
  constructor(levels = 1, name: string | null = null, maxValues: number = limits.elementValues) {
    this.#levels = levels;
    this.#depth = levels;
    this.#name = name;
    this.#maxValues = maxValues;
  }

  /**
   * Returns the offset of the comma or bracket behind the current element, or the length of the chunk if the element
   * does not end in it. `passed` is the offset of the chunk in the file.
   */
  findEnd(chunk: Buffer, start: number, passed: number): number {
    const { length } = chunk;
    let i = this.#inString ? this.#skipString(chunk, start) + 1 : start;
    for (; i < length; i++) {
      switch (chunk[i]) {
        case quoteMark:
          i = this.#skipString(chunk, i + 1);
          break;
        case colon:
          this.keys++;
          break;
        case comma:
          if (this.#depth === this.#levels) return i;
          this.#countValue(passed + i);
          break;
        case openBracket:
        case openBrace:
          this.#countValue(passed + i);
          if (++this.#depth > limits.depth) throw this.#broken(tooDeepMessage(limits.depth), passed + i);
          break;
        case closeBracket:
        case closeBrace:
          if (--this.#depth < this.#levels) return i;
      }
    }
    return length;
  }

  /** Begins the next element. */
  next(): void {
    this.index++;
    this.keys = 0;
    this.#values = 0;
  }

  #countValue(offset: number): void {
    if (++this.#values > this.#maxValues) throw this.#broken(tooManyValuesMessage(this.#maxValues), offset);
  }

  #broken(message: string, offset: number): BrokenFile {
    return new BrokenFile(`${this.#name ?? `element ${this.index}`} ${message}`, offset);
  }

  /** Returns the offset of the quote that closes the current string, or the length of the chunk if it continues. */
  #skipString(chunk: Buffer, from: number): number {
    const quote = closingQuote(chunk, this.#isEscaped ? from + 1 : from);
    this.#inString = quote < 0;
    this.#isEscaped = this.#inString && isEscapedAt(chunk, from, chunk.length, this.#isEscaped);
    return this.#inString ? chunk.length : quote;
  }
}

/** Throws a BrokenFile if the bytes of one value exceed the limits on depth and number of values. */
export function checkLimits(bytes: Buffer, name: string, maxValues: number = limits.elementValues): void {
  // each level and each value takes at least two bytes
  if (bytes.length <= 2 * Math.min(limits.depth, maxValues)) return;
  new ElementScanner(0, name, maxValues).findEnd(bytes, 0, 0);
}

/** Parses the text around the elements of a file: a bare array, or an object with the array as its `entries`. */

/** Maximum number of bytes before and after the array. */
const maxFrameBytes = 65_536;

const expected = 'expected a JSON array, or an object such as {"$schema": "…", "entries": […]}';

const nonSpace = /[^ \t\r\n]/;

/** The UTF-8 byte order mark, decoded as Latin-1. */
const byteOrderMark = '\xef\xbb\xbf';

/** Matches up to the opening bracket of the array, or of the first nested value of an object. */
const opening = /^[ \t\r\n]*(?:\[|(\{(?:[^"[\]{}]|"(?:[^"\\]|\\.)*")*)[[\]{}])/s;

/**
 * Collects the bytes before and after an array and validates them at the end of the file. The caller reads the
 * elements. Decodes as Latin-1, so that string offsets are byte offsets. The known keys are ASCII.
 */
export class ArrayFrame {
  isOpen = false;
  isClosed = false;
  #before = '';
  #after = '';
  #closedAt = 0;

  /**
   * Reads a chunk. Returns the offset of the first element, or the length of the chunk if the array has not started.
   */
  open(chunk: Buffer): number {
    const previousBytes = this.#before.length;
    const text = this.#before + chunk.toString('latin1', 0, maxFrameBytes);
    // skip a byte order mark
    const mark = text.startsWith(byteOrderMark) ? 3 : 0;
    const found = opening.exec(text.slice(mark));
    if (!found) {
      const first = text.slice(mark).search(nonSpace);
      if (first >= 0 && !byteOrderMark.startsWith(text) && text[mark + first] !== '{')
        throw new BrokenFile(expected, mark + first);
      if (text.length > maxFrameBytes) throw new BrokenFile(expected, mark);
      this.#before = text;
      return chunk.length;
    }
    const end = mark + found[0].length;
    if (found[1] !== undefined && (text[end - 1] !== '[' || !/"entries"[ \t\r\n]*:[ \t\r\n]*$/.test(found[1]))) {
      throw new BrokenFile(expected, end - 1);
    }
    // keep the object up to its entries
    this.#before = found[1] === undefined ? '' : ' '.repeat(mark) + text.slice(mark, end);
    this.isOpen = true;
    return end - previousBytes;
  }

  /** Reads the rest of the file, from the closing bracket on. `at` is the offset of the chunk in the file. */
  close(chunk: Buffer, at: number): void {
    if (!this.isClosed) this.#closedAt = at;
    this.isClosed = true;
    const text = chunk.toString('latin1');
    if (this.#before !== '') {
      this.#after += text;
      if (this.#after.length > maxFrameBytes) throw new BrokenFile(expected, at);
      return;
    }
    if (at + chunk.length - this.#closedAt > limits.blankBytes) {
      throw new BrokenFile(`more than ${limits.blankBytes} bytes follow the array`, at);
    }
    const bracket = at === this.#closedAt ? 1 : 0;
    const wrong = text.slice(bracket).search(nonSpace);
    if (wrong >= 0) throw new BrokenFile('expected the end of the file after the array', at + bracket + wrong);
  }

  /** Validates the object around the array at the end of the file. */
  finish(): void {
    if (!this.isOpen)
      throw new BrokenFile(this.#before.search(nonSpace) < 0 ? `the file is empty: ${expected}` : expected);
    if (this.#before === '') return;
    const text = this.#before + this.#after;
    const fileOffset = (offset: number) =>
      offset < this.#before.length ? offset : offset - this.#before.length + this.#closedAt;
    const { value, error, duplicates } = runAtOnce(readJsonInSteps(Buffer.from(text, 'latin1')));
    if (error) throw new BrokenFile(`invalid JSON: ${error.message}`, fileOffset(error.place.offset));
    if (duplicates.length > 0) throw new BrokenFile(duplicates[0].message, fileOffset(duplicates[0].place.offset));
    const unknown = Object.keys(value as object).find((key) => key !== '$schema' && key !== 'entries');
    if (unknown !== undefined)
      throw new BrokenFile(`unknown key ${JSON.stringify(unknown)} beside "entries": ${expected}`);
  }
}
