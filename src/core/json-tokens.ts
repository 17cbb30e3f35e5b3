/** Reads the strings, numbers and names of JSON from bytes in UTF-8. */
import { formatNumber } from './problems.ts';

/** A place in a text. Offsets are in bytes, lines are counted from 1. */
export interface JsonPlace {
  readonly offset: number;
  readonly line: number;
  /** The offset of the line. */
  readonly lineStart: number;
}

/** A syntax error or an exceeded limit. It ends the reading. */
export class JsonEnd extends Error {
  readonly kind: 'syntax' | 'limit';
  readonly place: JsonPlace;

  constructor(message: string, place: JsonPlace, kind: JsonEnd['kind'] = 'syntax') {
    super(message);
    this.place = place;
    this.kind = kind;
  }
}

/** Bytes of a string that are looked at one by one. The native search and parser are faster for longer ones. */
const shortString = 64;

/** White space that one call skips. */
const blankBytes = 1024;

export class JsonTokens {
  at = 0;
  #line = 1;
  #lineStart = 0;
  readonly #bytes: Buffer;
  readonly #mayHoldSecrets: boolean;
  readonly #textBytes: number;
  readonly #numberBytes: number;

  /** The limits are on the bytes of one string and of one number. Default: none. */
  constructor(bytes: Buffer, mayHoldSecrets: boolean, limits: { textBytes?: number; numberBytes?: number }) {
    this.#bytes = bytes;
    this.#mayHoldSecrets = mayHoldSecrets;
    this.#textBytes = limits.textBytes ?? bytes.length;
    this.#numberBytes = limits.numberBytes ?? bytes.length;
  }

  /** Undefined at the end. */
  get byte(): number | undefined {
    return this.#bytes[this.at];
  }

  /** The place of a byte in the current line. */
  placeOf(offset = this.at): JsonPlace {
    return { offset, line: this.#line, lineStart: this.#lineStart };
  }

  /** Skips white space, but not more than a kilobyte. Returns whether it has skipped all. */
  skipBlanks(): boolean {
    const end = this.at + blankBytes;
    for (let byte = this.byte; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = this.byte) {
      this.at++;
      if (byte === 0x0a) {
        this.#line++;
        this.#lineStart = this.at;
      }
      if (this.at === end) return false;
    }
    return true;
  }

  /** Reads the string that begins here. Throws a JsonEnd, as all methods that read do. */
  readString(): string {
    const bytes = this.#bytes;
    const start = this.at;
    let end = start + 1;
    while (end - start < shortString && isPlain(bytes[end])) end++;
    if (bytes[end] !== quoteMark) return this.#readOther(start);
    this.at = end + 1;
    return bytes.toString('latin1', start + 1, end);
  }

  /** Reads a string that is long, or has escapes or characters beyond ASCII. */
  #readOther(start: number): string {
    const to = Math.min(start + 1 + this.#textBytes + 1, this.#bytes.length);
    const end = closingQuote(this.#bytes, start + 1, to);
    if (end < 0 && to === this.#bytes.length) throw new JsonEnd('unterminated string', this.placeOf(start));
    if (end < 0) {
      throw new JsonEnd(`has a text of more than ${formatNumber(this.#textBytes)} bytes`, this.placeOf(start), 'limit');
    }
    const text = this.#bytes.toString('utf8', start, end + 1);
    this.at = end + 1;
    try {
      return JSON.parse(text);
    } catch {
      throw new JsonEnd(describeWrongString(text), this.placeOf(start));
    }
  }

  readNumber(): number {
    const start = this.at;
    for (; isNumeric(this.byte); this.at++) {
      if (this.at - start < this.#numberBytes) continue;
      const message = `has a number of more than ${formatNumber(this.#numberBytes)} characters`;
      throw new JsonEnd(message, this.placeOf(start), 'limit');
    }
    const text = this.#bytes.toString('latin1', start, this.at);
    if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return Number(text);
    throw new JsonEnd('malformed number', this.placeOf(start));
  }

  /** Reads `true`, `false` or `null`. */
  readName<T>(name: string, value: T): T {
    const end = this.at + name.length;
    if (this.#bytes.toString('latin1', this.at, end) !== name) throw this.unexpected('expected a value');
    this.at = end;
    return value;
  }

  /** Creates the error at a token that is not the expected one. */
  unexpected(expected: string): JsonEnd {
    const place = this.placeOf();
    const [token] = /^[^\s{}[\]",:]*/.exec(this.#bytes.toString('utf8', this.at, this.at + 40))!;
    if (/^\/[/*]/.test(token)) return new JsonEnd('comments are not allowed', place);
    if (token === '' || /^(?:-?\d.*|true|false|null)$/.test(token)) return new JsonEnd(expected, place);
    return new JsonEnd(`unexpected ${this.#mayHoldSecrets ? 'text' : JSON.stringify(token)}`, place);
  }
}

function isNumeric(byte = 0): boolean {
  const isDigit = byte >= 0x30 && byte <= 0x39;
  return isDigit || byte === 0x2d || byte === 0x2b || byte === 0x2e || byte === 0x65 || byte === 0x45;
}

/** Whether a byte of a string is a character by itself: ASCII that is no quote, no backslash and no control character. */
function isPlain(byte = 0): boolean {
  return byte >= 0x20 && byte < 0x80 && byte !== quoteMark && byte !== backslash;
}

function describeWrongString(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
  if (/[\0-\x1f]/.test(text)) return 'unescaped control character in a string';
  if (/\\u(?![\da-f]{4})/i.test(text)) return 'expected four hexadecimal digits after "\\u"';
  return 'invalid escape sequence in a string';
}

/** The bytes that mark the structure of JSON text, and the ends of its strings. */
export const quoteMark = 0x22;
export const comma = 0x2c;
export const colon = 0x3a;
export const openBracket = 0x5b;
export const backslash = 0x5c;
export const closeBracket = 0x5d;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;

export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Bytes after an escaped quote that are looked at one by one. More may follow, and a native search for each is slow. */
const nearBytes = 64;

/**
 * Returns the offset of the quote that closes a string, or -1 if it is not before `to`. The content of the string begins
 * or continues at `from`, outside an escape sequence. Takes time in proportion to the bytes, whatever they are.
 */
export function closingQuote(bytes: Buffer, from: number, to = bytes.length): number {
  for (let at = from; at < to; ) {
    // most bytes are inside strings, and the native search takes many at a time
    const found = bytes.indexOf(quoteMark, at);
    if (found < 0 || found >= to) return -1;
    if (!isEscapedAt(bytes, at, found)) return found;
    at = found + 1;
    for (const near = Math.min(at + nearBytes, to); at < near; at++) {
      if (bytes[at] === quoteMark) return at;
      if (bytes[at] === backslash) at++;
    }
  }
  return -1;
}

/**
 * Whether an odd number of backslashes precedes the byte at `at`, so that it is escaped. Looks back to `from`. With
 * `isEscaped`, a backslash before `from` escapes the byte there.
 */
export function isEscapedAt(bytes: Buffer, from: number, at: number, isEscaped = false): boolean {
  let run = at;
  while (run > from && bytes[run - 1] === backslash) run--;
  const isOdd = ((at - run) & 1) === 1;
  return isOdd !== (run === from && isEscaped);
}
