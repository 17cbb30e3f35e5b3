/** What stands around the elements of a file: brackets alone, or an object with the array as its `entries`. */
import { duplicateKeys, JsonError, parseStrictJson } from '../base/strict-json.ts';
import { BrokenFile } from './broken-file.ts';
import { limits } from './limits.ts';

/** Bytes that may stand before and behind the array. */
const longestFrame = 65_536;

const expected = 'expected a JSON array, or an object such as {"$schema": "…", "entries": […]}';

const visible = /[^ \t\r\n]/;

/** Those of UTF-8, as Latin-1. */
const byteOrderMark = '\xef\xbb\xbf';

/** From the start of a file up to its first bracket or brace; in an object up to the one behind its first keys. */
const opening = /^[ \t\r\n]*(?:\[|(\{(?:[^"[\]{}]|"(?:[^"\\]|\\.)*")*)[[\]{}])/s;

/**
 * Takes the bytes before and behind an array, and checks them when all have come. In between, the caller reads the
 * elements. Text is read as Latin-1, so that a character is a byte; the keys that count have none but ASCII.
 */
export class ArrayFrame {
  isOpen = false;
  isClosed = false;
  #before = '';
  #behind = '';
  #closedAt = 0;

  /** Takes a piece of the file. Returns where in it the elements begin, or its end if they do not yet. */
  open(piece: Buffer): number {
    const taken = this.#before.length;
    const text = this.#before + piece.toString('latin1', 0, longestFrame);
    // a mark of byte order at the start of a file is no part of it
    const mark = text.startsWith(byteOrderMark) ? 3 : 0;
    const found = opening.exec(text.slice(mark));
    if (!found) {
      const first = text.slice(mark).search(visible);
      if (first >= 0 && !byteOrderMark.startsWith(text) && text[mark + first] !== '{')
        throw new BrokenFile(expected, mark + first);
      if (text.length > longestFrame) throw new BrokenFile(expected, mark);
      this.#before = text;
      return piece.length;
    }
    const end = mark + found[0].length;
    if (found[1] !== undefined && (text[end - 1] !== '[' || !/"entries"[ \t\r\n]*:[ \t\r\n]*$/.test(found[1]))) {
      throw new BrokenFile(expected, end - 1);
    }
    // the object without its entries, as the caller reads these
    this.#before = found[1] === undefined ? '' : ' '.repeat(mark) + text.slice(mark, end);
    this.isOpen = true;
    return end - taken;
  }

  /** Takes what stands from the closing bracket on: `piece` begins at byte `at` of the file. */
  close(piece: Buffer, at: number): void {
    if (!this.isClosed) this.#closedAt = at;
    this.isClosed = true;
    const text = piece.toString('latin1');
    if (this.#before !== '') {
      this.#behind += text;
      if (this.#behind.length > longestFrame) throw new BrokenFile(expected, at);
      return;
    }
    if (at + piece.length - this.#closedAt > limits.blankBytes) {
      throw new BrokenFile(`more than ${limits.blankBytes} bytes stand behind the array`, at);
    }
    const bracket = at === this.#closedAt ? 1 : 0;
    const wrong = text.slice(bracket).search(visible);
    if (wrong >= 0) throw new BrokenFile('expected the end of the file behind the array', at + bracket + wrong);
  }

  /** Checks the object around the array, when all of the file has come. */
  finish(): void {
    if (!this.isOpen)
      throw new BrokenFile(this.#before.search(visible) < 0 ? `the file is empty: ${expected}` : expected);
    if (this.#before === '') return;
    const text = this.#before + this.#behind;
    const placed = (offset: number) =>
      offset < this.#before.length ? offset : offset - this.#before.length + this.#closedAt;
    try {
      const object = parseStrictJson(text) as object;
      const [duplicate] = duplicateKeys(text);
      if (duplicate) throw new BrokenFile(duplicate.message, placed(duplicate.offset));
      const unknown = Object.keys(object).find((key) => key !== '$schema' && key !== 'entries');
      if (unknown !== undefined)
        throw new BrokenFile(`unknown key ${JSON.stringify(unknown)} beside "entries": ${expected}`);
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      throw new BrokenFile(`it is not JSON: ${error.message}`, error.offset === null ? null : placed(error.offset));
    }
  }
}
