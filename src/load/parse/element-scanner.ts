import { closingQuote, isEscapedAt } from '../../core/closing-quote.ts';
import { tooDeepMessage, tooManyValuesMessage } from '../../core/json-reader.ts';
import { limits } from '../limits.ts';
import { BrokenFile } from './broken-file.ts';
import { closeBrace, closeBracket, colon, comma, openBrace, openBracket, quoteMark } from './json-bytes.ts';

/** Finds the ends of the elements of a JSON array, one chunk after the other, without parsing them. */
export class ElementScanner {
  /** Number of elements before the current one. */
  index = 0;
  /** Number of keys in the current element so far. */
  keys = 0;
  #values = 0;
  /** Levels of arrays and objects, that of the array of elements included. */
  #depth = 1;
  #inString = false;
  /** The previous chunk ends inside a string, with a backslash that escapes the next byte. */
  #isEscaped = false;

  /**
   * Returns the offset of the comma or bracket behind the current element, or the length of the chunk if the element
   * does not end in it. Throws a BrokenFile if the element is nested too deep or has too many values. `passed` is the
   * offset of the chunk in the file.
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
          if (this.#depth === 1) return i;
          this.#countValue(passed + i);
          break;
        case openBracket:
        case openBrace:
          this.#countValue(passed + i);
          if (++this.#depth > limits.depth) {
            throw new BrokenFile(`element ${this.index} ${tooDeepMessage(limits.depth)}`, passed + i);
          }
          break;
        case closeBracket:
        case closeBrace:
          if (--this.#depth === 0) return i;
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
    if (++this.#values <= limits.elementValues) return;
    throw new BrokenFile(`element ${this.index} ${tooManyValuesMessage(limits.elementValues)}`, offset);
  }

  /** Returns the offset of the quote that closes the current string, or the length of the chunk if it continues. */
  #skipString(chunk: Buffer, from: number): number {
    const quote = closingQuote(chunk, this.#isEscaped ? from + 1 : from);
    this.#inString = quote < 0;
    this.#isEscaped = this.#inString && isEscapedAt(chunk, from, chunk.length, this.#isEscaped);
    return this.#inString ? chunk.length : quote;
  }
}
