/** Operands: what a caller may write for each type, and what it is compared as. */
import { isDeeperThan, jsonText } from '../../model/json-text.ts';
import type { ScalarAttribute } from '../../model/schema.ts';
import { comparisonKindOf, dateOf, maximumJsonDepth, timeOf } from '../../model/value-types.ts';
import type { Operand } from '../bound.ts';
import type { Expected, Messages } from '../messages.ts';
import type { OperandPlace } from '../syntax/place.ts';
import { parseInstant } from './instant.ts';

const truths = new Set<unknown>(['true', 't', '1', 1, true]);
const falsehoods = new Set<unknown>(['false', 'f', '0', 0, false]);

/** How values are read. */
export interface Casts {
  /** A value that is not exactly of the kind that is expected is refused. */
  readonly isStrict: boolean;
  /** A switch such as `count` or `withCount`; null for a value that is neither true nor false. */
  flag(value: unknown): boolean | null;
  /** The operand of `$null` and `$notNull`, and of a boolean attribute; null as above. */
  boolean(value: unknown): boolean | null;
  /** The first ten characters are a date; whether the rest may follow. */
  endsDate(rest: string): boolean;
  /** Milliseconds since 1970; null for a value that is no instant. `text` is `given` without blanks around it. */
  instant(given: string, text: string): number | null;
  /** The text of a date or time. */
  clock(given: string, text: string): string;
}

function flagOf(value: unknown): boolean | null {
  return truths.has(value) ? true : falsehoods.has(value) ? false : null;
}

/** As the recorded service reads values: every other word is true, and every form of ISO 8601 is an instant. */
export const recordedCasts: Casts = {
  isStrict: false,
  flag: flagOf,
  boolean: (value) => flagOf(value) ?? (value !== '' && value !== null),
  endsDate: () => true,
  instant: everyInstantOf,
  clock: (given) => given,
};

const anyCase = (value: unknown) => flagOf(typeof value === 'string' ? value.toLowerCase() : value);

/** Only what can be meant: six words in any case, and plain dates and times. */
export const strictCasts: Casts = {
  isStrict: true,
  flag: anyCase,
  boolean: anyCase,
  endsDate: (rest) => rest === '' || /^[T ]/.test(rest),
  instant: (_given, text) => instantOf(text),
  clock: (_given, text) => text,
};

/** Casts one operand by the type of the attribute. Throws a ValidationError that names the value. */
export function castOperand(
  attribute: ScalarAttribute,
  value: unknown,
  casts: Casts,
  messages: Messages,
  place: OperandPlace,
): Operand {
  if (value === null || value === undefined) return null;
  const { type } = attribute;
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
      return jsonOf(given, (expected) => wrong(messages, place, value, expected));
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

function wrong(messages: Messages, place: OperandPlace, value: unknown, expected: Expected): never {
  throw messages.operand(place, value, expected);
}

function jsonOf(text: string, refuse: (expected: Expected) => never): string {
  const value = parsedJson(text);
  if (value === undefined) return refuse('JSON');
  return isDeeperThan(value, maximumJsonDepth) ? refuse('shallow JSON') : jsonText(value);
}

/** Undefined if the text is no JSON. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Milliseconds since 1970: of an instant in any form, or else of a number of them. `2003` is a year. */
function everyInstantOf(text: string): number | null {
  const instant = parseInstant(text);
  if (instant !== null || !/^-?\d+$/.test(text)) return instant;
  return Math.abs(Number(text)) <= latestInstant ? Number(text) : null;
}

/** What the platform's dates reach, in milliseconds before and after 1970. */
const latestInstant = 8.64e15;

/** Milliseconds since 1970: of a number of them, or of an ISO date or datetime (in UTC, if it names no zone). */
function instantOf(text: string): number | null {
  if (/^-?\d{1,16}$/.test(text)) return Number(text);
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/.exec(text);
  if (!parts || dateOf(parts[1]) === undefined) return null;
  const zone = parts[3] === undefined ? 'Z' : parts[3].length === 3 ? `${parts[3]}:00` : parts[3];
  const milliseconds = Date.parse(parts[2] === undefined ? parts[1] : `${parts[1]}T${parts[2]}${zone}`);
  return Number.isNaN(milliseconds) ? null : milliseconds;
}
