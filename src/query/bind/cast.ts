/** Casts of operands and other values: what a caller may write, and what it means. */
import { dateOf, timeOf } from '../../model/schema/calendar.ts';
import { isDeeperThan, jsonText } from '../../model/schema/compared-texts.ts';
import type { ScalarType } from '../../model/schema/schema.ts';
import { comparisonKindOf, maximumJsonDepth } from '../../model/schema/value-types.ts';
import type { Operand } from '../bound.ts';
import type { ErrorPolicy, Expected } from '../errors.ts';
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
  /** Returns the text of a date, time or datetime, without blanks around it if the dialect ignores them. */
  trimTime(text: string): string;
  /** Returns milliseconds since 1970; null for a text that is no instant. */
  instant(text: string): number | null;
  /** Returns the number for which a database takes any text that ids are compared with. Null: it has to be a number. */
  readonly looseId: ((text: string) => number) | null;
  /** JSON is compared as it is written. Otherwise it is compared in its normal form, and has to be JSON. */
  readonly jsonAsWritten: boolean;
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
  errors: ErrorPolicy,
  place: OperandPlace,
): Operand {
  const rejected = (expected: Expected): never => {
    throw errors.wrongOperand(place, value, expected);
  };
  if (value === null || value === undefined) return null;
  if (typeof value === 'object' && !(value instanceof Date)) return rejected('single');
  if (comparisonKindOf(type) === 'text') {
    const text = String(value);
    return text.isWellFormed() ? text : rejected('text');
  }
  if (value instanceof Date && Number.isNaN(value.getTime())) return rejected('time value');
  const given = value instanceof Date ? value.toISOString() : String(value);
  switch (type) {
    case 'boolean': {
      const flag = casts.boolean(value);
      return flag === null ? rejected('boolean') : Number(flag);
    }
    case 'json':
    case 'blocks':
      return castJson(given, casts, rejected);
    case 'biginteger': {
      const text = given.trim();
      return /^[+-]?\d{1,400}$/.test(text) ? BigInt(text).toString() : rejected('whole number');
    }
    case 'date':
      return castDate(casts.trimTime(given), casts, rejected);
    case 'time':
      return timeOf(casts.trimTime(given)) ?? rejected('time');
    case 'datetime':
    case 'timestamp':
      return casts.instant(casts.trimTime(given)) ?? rejected('datetime');
    default:
      return castNumber(given.trim(), rejected);
  }
}

const numberForm = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** As SQLite, takes a text that is no number for greater than all numbers. */
export function greatestUnlessNumber(text: string): number {
  return numberForm.test(text.trim()) ? Number(text) : Number.MAX_VALUE;
}

/** As MySQL, takes a text for the number that it begins with, or for 0. */
export function leadingNumber(text: string): number {
  const [number] = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?/i.exec(text.trim()) ?? [];
  return number === undefined ? 0 : Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(number)));
}

/** Throws the error of an operand that is not what its type expects. */
type Reject = (expected: Expected) => never;

function castDate(text: string, casts: CastPolicy, rejected: Reject): number {
  const isDate = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])/.test(text) && casts.endsDate(text.slice(10));
  return isDate ? (dateOf(text.slice(0, 10)) ?? rejected('existing date')) : rejected('date');
}

function castNumber(text: string, rejected: Reject): number {
  const isNumber = numberForm.test(text) && Number.isFinite(Number(text));
  return isNumber ? Number(text) : rejected('number');
}

function castJson(text: string, { jsonAsWritten }: CastPolicy, rejected: Reject): string {
  if (jsonAsWritten) return text.isWellFormed() ? text : rejected('text');
  const value = parseJson(text);
  if (value === undefined) return rejected('JSON');
  return isDeeperThan(value, maximumJsonDepth) ? rejected('shallow JSON') : jsonText(value);
}

/** Returns undefined if the text is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
