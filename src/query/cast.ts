/** Operands: what a caller may write for each type, and what it is compared as. */
import type { Dialect } from '../dialect.ts';
import { ValidationError } from '../errors.ts';
import { quote } from '../problems.ts';
import { jsonText } from '../schema/json-text.ts';
import type { ScalarAttribute } from '../schema/schema.ts';
import { comparisonOf, dateOf, timeOf } from '../schema/values.ts';
import type { Operand } from './bound.ts';
import { parseInstant } from './instant.ts';

const truths = new Set<unknown>(['true', 't', '1', 1, true]);
const falsehoods = new Set<unknown>(['false', 'f', '0', 0, false]);

/** A switch such as `count` or `withCount`: null for what is neither true nor false. */
export function readSwitch(value: unknown): boolean | null {
  return truths.has(value) ? true : falsehoods.has(value) ? false : null;
}

/** The operand of `$null` and `$notNull`, and of a boolean: all but a plain no, or nothing, is a yes. */
export function castBoolean(value: unknown): boolean {
  return readSwitch(value) ?? (value !== '' && value !== null);
}

/** Casts one operand by the type of the attribute. Throws a ValidationError that names what was wrong. */
export function castOperand(
  attribute: ScalarAttribute,
  value: unknown,
  operatorName: string,
  path: string | null,
  param: string,
  { readsEveryInstant }: Dialect,
): Operand {
  if (value === null || value === undefined) return null;
  const fail = (expected: string): never => {
    const message = `Invalid value ${quote(value)} for ${operatorName} on ${path ?? attribute.name}: ${expected}`;
    throw new ValidationError(message, { key: operatorName, path, source: 'query', param });
  };
  if (typeof value === 'object' && !(value instanceof Date)) return fail('expected a single value');
  if (comparisonOf(attribute.type) === 'text') {
    const text = String(value);
    return text.isWellFormed() ? text : fail('expected well-formed text');
  }
  if (value instanceof Date && Number.isNaN(value.getTime())) return fail('expected a date');
  const given = value instanceof Date ? value.toISOString() : String(value);
  const text = given.trim();
  const time = readsEveryInstant ? given : text;
  switch (attribute.type) {
    case 'boolean':
      return Number(castBoolean(value));
    case 'json':
    case 'blocks':
      return jsonOf(given) ?? fail('expected JSON');
    case 'biginteger':
      return /^[+-]?\d{1,400}$/.test(text) ? BigInt(text).toString() : fail('expected a whole number');
    case 'date': {
      // what follows the date, such as a time, does not count
      const date = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])/.exec(time)?.[0];
      if (date === undefined) throw new ValidationError('Invalid format, expected yyyy-MM-dd');
      return dateOf(date) ?? (readsEveryInstant ? failDate() : fail('there is no such date'));
    }
    case 'time':
      return timeOf(time) ?? failTime();
    case 'datetime':
    case 'timestamp':
      return (readsEveryInstant ? everyInstantOf(time) : instantOf(text)) ?? failInstant();
    default:
      return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))
        ? Number(text)
        : fail('expected a number');
  }
}

function jsonOf(text: string): string | null {
  try {
    return jsonText(JSON.parse(text));
  } catch {
    return null;
  }
}

function failDate(): never {
  throw new ValidationError('Invalid date');
}

function failInstant(): never {
  throw new ValidationError('Invalid format, expected a timestamp or an ISO date');
}

function failTime(): never {
  throw new ValidationError('Invalid time format, expected HH:mm:ss.SSS');
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
