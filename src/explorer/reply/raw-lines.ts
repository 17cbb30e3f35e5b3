/** A JSON text as lines, one for each member, as editors show it. Found step by step, and without parsing the text. */

/** A line of the text: from where to where, and how deep it is indented. */
export interface RawLine {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
}

/** Longer lines are broken. */
const maxLength = 400;

const quote = 34;
const backslash = 92;
const comma = 44;

/** Finds the lines of a text. */
export class RawLines {
  readonly #text: string;
  readonly #ends: number[] = [];
  readonly #depths: number[] = [];
  #position = 0;
  #lineStart = 0;
  #depth = 0;
  #inString = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** The number of lines that have been found. */
  get length(): number {
    return this.#ends.length;
  }

  get isComplete(): boolean {
    return this.#position >= this.#text.length;
  }

  /** Returns a line that has been found. */
  line(index: number): RawLine {
    return { start: index === 0 ? 0 : this.#ends[index - 1], end: this.#ends[index], depth: this.#depths[index] };
  }

  /** Looks at some more characters. */
  scan(characters: number): void {
    const text = this.#text;
    const stop = Math.min(this.#position + characters, text.length);
    for (let i = this.#position; i < stop; i++) {
      const code = text.charCodeAt(i);
      if (this.#inString) {
        if (code === backslash) i++;
        else if (code === quote) this.#inString = false;
        else if (i - this.#lineStart >= maxLength && !isLowSurrogate(text.charCodeAt(i + 1))) this.#endLine(i + 1);
      } else if (code === quote) this.#inString = true;
      else if (code === comma) this.#endLine(i + 1);
      else if (isOpening(code)) {
        if (isClosing(text.charCodeAt(i + 1))) i++;
        else {
          this.#endLine(i + 1);
          this.#depth++;
        }
      } else if (isClosing(code)) {
        this.#endLine(i);
        this.#depth--;
      }
      this.#position = i + 1;
    }
    if (this.isComplete) this.#endLine(text.length);
  }

  #endLine(end: number): void {
    if (end <= this.#lineStart) return;
    this.#ends.push(end);
    this.#depths.push(this.#depth);
    this.#lineStart = end;
  }
}

function isOpening(code: number): boolean {
  return code === 91 || code === 123;
}

function isClosing(code: number): boolean {
  return code === 93 || code === 125;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
