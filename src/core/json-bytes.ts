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
