/** Bounds what a JSON text builds when it is parsed. Its bytes tell that before. */
import { limits } from './limits.ts';

const quoteMark = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** What is too much, and at which byte of the text. */
export interface Excess {
  readonly message: string;
  readonly offset: number;
}

export const tooDeep = `is nested deeper than ${limits.depth} levels`;

export function tooManyValues(mostValues: number): string {
  return `holds more than ${mostValues.toLocaleString('en-US')} values`;
}

/** Finds where a text passes the limits on depth and on values, which objects and lists are, too. Null: nowhere. */
export function excessOf(bytes: Buffer, mostValues: number = limits.elementValues): Excess | null {
  // a text takes at least two bytes for each level and each value
  if (bytes.length <= 2 * Math.min(limits.depth, mostValues)) return null;
  let depth = 0;
  let values = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === quoteMark) i = endOfString(bytes, i);
    else if (byte === openBracket || byte === openBrace) {
      if (++depth > limits.depth) return { message: tooDeep, offset: i };
      values++;
    } else if (byte === comma) values++;
    else if (byte === closeBracket || byte === closeBrace) depth--;
    else continue;
    if (values > mostValues) return { message: tooManyValues(mostValues), offset: i };
  }
  return null;
}

/**
 * Returns what is too much in a value in memory, as it would be in the same value as text; null if nothing is. `levels`
 * is how deep the value itself stands. An object that contains itself is nested too deep.
 */
export function excessOfValue(value: unknown, levels = 0, mostValues: number = limits.elementValues): string | null {
  let values = 0;
  const walk = (inner: unknown, depth: number): string | null => {
    if (typeof inner !== 'object' || inner === null) return null;
    if (depth >= limits.depth) return tooDeep;
    const items: unknown[] = Array.isArray(inner) ? inner : Object.values(inner);
    values += Math.max(items.length, 1);
    if (values > mostValues) return tooManyValues(mostValues);
    for (const item of items) {
      const excess = walk(item, depth + 1);
      if (excess !== null) return excess;
    }
    return null;
  };
  return walk(value, levels);
}

/** The closing quote of the string that begins at `start`, or the end of the text. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(quoteMark, start + 1); at >= 0; at = bytes.indexOf(quoteMark, at + 1)) {
    let run = at;
    while (bytes[run - 1] === backslash) run--;
    // an even number of backslashes leaves the quote as it is
    if (((at - run) & 1) === 0) return at;
  }
  return bytes.length;
}
