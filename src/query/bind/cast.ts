/** Casts of operands and other values: what a caller may write, and what it means. */
import { dateOf, timeOf } from '../../model/calendar.ts';
import { isDeeperThan, jsonText } from '../../model/json-text.ts';
import type { ScalarType } from '../../model/schema.ts';
import { comparisonKindOf, maximumJsonDepth } from '../../model/value-types.ts';
import type { Operand } from '../bound.ts';
import type { Expected, MessagePolicy } from '../messages.ts';
import type { OperandPlace } from '../syntax/location.ts';

const truths = new Set<unknown>(['true', 't', '1', 1, true]);
const falsehoods = new Set<unknown>(['false', 'f', '0', 0, false]);

/** How a dialect reads values. */
export interface CastPolicy {
  /** Returns whether an option counts as absent. */
  isAbsent(value: unknown): boolean;
  /** Reads a switch such as `count` or `withCount`. Null for a value that is neither true nor false. */
  flag(value: unknown): boolean | null;
  /** Reads the operand of `$null` and `$notNull`, or of a boolean attribute. Null as above. */
  boolean(value: unknown): boolean | null;
  /** Returns whether this may follow the ten characters of a date. */
  endsDate(rest: string): boolean;
  /** Returns milliseconds since 1970; null for a value that is no instant. `text` is `given` without blanks around it. */
  instant(given: string, text: string): number | null;
  /** Returns the text of a date or time. */
  clock(given: string, text: string): string;
}

/** Reads the values that every dialect takes for true or false. */
export function parseBoolean(value: unknown): boolean | null {
  return truths.has(value) ? true : falsehoods.has(value) ? false : null;
}

/** Casts one operand to a type. Throws a ValidationError that names the value. */
export function castOperand(
  type: ScalarType,
  value: unknown,
  casts: CastPolicy,
  messages: MessagePolicy,
  place: OperandPlace,
): Operand {
  if (value === null || value === undefined) return null;
  if (typeof value === 'object' && !(value instanceof Date)) throw messages.operand(place, value, 'single');
  if (comparisonKindOf(type) === 'text') {
    const text = String(value);
    if (!text.isWellFormed()) throw messages.operand(place, value, 'text');
    return text;
  }
  if (value instanceof Date && Number.isNaN(value.getTime())) throw messages.operand(place, value, 'time value');
  const given = value instanceof Date ? value.toISOString() : String(value);
  const text = given.trim();
  switch (type) {
    case 'boolean': {
      const flag = casts.boolean(value);
      if (flag === null) throw messages.operand(place, value, 'boolean');
      return Number(flag);
    }
    case 'json':
    case 'blocks':
      return castJson(given, (expected) => wrong(messages, place, value, expected));
    case 'biginteger':
      return /^[+-]?\d{1,400}$/.test(text) ? BigInt(text).toString() : wrong(messages, place, value, 'whole number');
    case 'date': {
      const date = casts.clock(given, text);
      const isDate = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])/.test(date) && casts.endsDate(date.slice(10));
      if (!isDate) throw messages.operand(place, value, 'date');
      return dateOf(date.slice(0, 10)) ?? wrong(messages, place, value, 'existing date');
    }
    case 'time':
      return timeOf(casts.clock(given, text)) ?? wrong(messages, place, value, 'time');
    case 'datetime':
    case 'timestamp':
      return casts.instant(given, text) ?? wrong(messages, place, value, 'datetime');
    default:
      return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))
        ? Number(text)
        : wrong(messages, place, value, 'number');
  }
}

function wrong(messages: MessagePolicy, place: OperandPlace, value: unknown, expected: Expected): never {
  throw messages.operand(place, value, expected);
}

function castJson(text: string, refuse: (expected: Expected) => never): string {
  const value = parseJson(text);
  if (value === undefined) return refuse('JSON');
  return isDeeperThan(value, maximumJsonDepth) ? refuse('shallow JSON') : jsonText(value);
}

/** Returns undefined if the text is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
