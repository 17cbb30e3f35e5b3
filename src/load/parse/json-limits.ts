/** Checks JSON against the limits on depth and size before it is parsed. */
import {
  closeBrace,
  closeBracket,
  closingQuote,
  comma,
  openBrace,
  openBracket,
  quoteMark,
} from '../../core/json-bytes.ts';
import { tooDeepMessage, tooManyValuesMessage } from '../../core/json-reader.ts';
import { runAtOnce, type Steps } from '../../core/steps.ts';
import { limits } from '../limits.ts';

/** An exceeded limit, and the byte offset where the text exceeds it. */
interface LimitViolation {
  readonly message: string;
  readonly offset: number;
}

/**
 * Returns the first violation of the limits on depth and number of values, or null. Objects and arrays count as values.
 */
export function findLimitViolation(bytes: Buffer, maxValues: number = limits.elementValues): LimitViolation | null {
  // each level and each value takes at least two bytes
  if (bytes.length <= 2 * Math.min(limits.depth, maxValues)) return null;
  let depth = 0;
  let values = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === quoteMark) {
      const quote = closingQuote(bytes, i + 1);
      // the parser reports an unterminated string
      if (quote < 0) return null;
      i = quote;
    } else if (byte === openBracket || byte === openBrace) {
      if (++depth > limits.depth) return { message: tooDeepMessage(limits.depth), offset: i };
      values++;
    } else if (byte === comma) values++;
    else if (byte === closeBracket || byte === closeBrace) depth--;
    else continue;
    if (values > maxValues) return { message: tooManyValuesMessage(maxValues), offset: i };
  }
  return null;
}

/**
 * Returns the message for a value in memory that exceeds the limits of its JSON text, or null. `levels` is the depth of
 * the value itself. A cyclic object exceeds the depth.
 */
export function findLimitViolationInValue(value: unknown, levels = 0, maxValues?: number): string | null {
  return runAtOnce(findViolationInSteps(value, levels, maxValues));
}

/** Values that a step looks at. */
const valuesPerStep = 10_000;

/** As `findLimitViolationInValue`. */
export function* findViolationInSteps(
  value: unknown,
  levels = 0,
  maxValues: number = limits.elementValues,
): Steps<string | null> {
  /** The lists around the value that is looked at, with the index of the next value of each. */
  const open: { readonly items: readonly unknown[]; next: number }[] = [{ items: [value], next: 0 }];
  let values = 0;
  for (let turn = 1; open.length > 0; turn++) {
    if (turn % valuesPerStep === 0) yield;
    const list = open[open.length - 1];
    if (list.next === list.items.length) {
      open.pop();
      continue;
    }
    const inner = list.items[list.next++];
    if (typeof inner !== 'object' || inner === null) continue;
    if (levels + open.length > limits.depth) return tooDeepMessage(limits.depth);
    const items: unknown[] = Array.isArray(inner) ? inner : Object.values(inner);
    values += Math.max(items.length, 1);
    if (values > maxValues) return tooManyValuesMessage(maxValues);
    open.push({ items, next: 0 });
  }
  return null;
}
