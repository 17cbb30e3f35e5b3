/** The bytes of JSON text that mark its structure. */
export const quoteMark = 0x22;
export const comma = 0x2c;
export const colon = 0x3a;
export const openBracket = 0x5b;
const backslash = 0x5c;
export const closeBracket = 0x5d;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;

export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/**
 * Returns the offset of the quote that closes a string, or -1. The content of the string begins or continues at `from`.
 * With `isEscaped`, a backslash before `from` escapes the first byte.
 */
export function closingQuote(bytes: Buffer, from: number, isEscaped = false): number {
  // most bytes are inside strings, and the native search takes many at a time
  for (let at = bytes.indexOf(quoteMark, from); at >= 0; at = bytes.indexOf(quoteMark, at + 1)) {
    if (!isEscapedAt(bytes, from, at, isEscaped)) return at;
  }
  return -1;
}

/** Whether an odd number of backslashes precedes the byte at `at`, so that it is escaped. */
export function isEscapedAt(bytes: Buffer, from: number, at: number, isEscaped: boolean): boolean {
  let run = at;
  while (run > from && bytes[run - 1] === backslash) run--;
  const isOdd = ((at - run) & 1) === 1;
  return isOdd !== (run === from && isEscaped);
}
