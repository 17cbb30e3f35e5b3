/** Values of scalar attributes as they stand in a snapshot: what is accepted, how it compares, how it is served. */
import { midnightOf } from './calendar.ts';
import { richTextOf } from './rich-text.ts';
import type { ScalarAttribute, ScalarType } from './schema.ts';

/**
 * How the values of a type compare: as text by code point, as numbers, as 64-bit integers, or not at all (`presence`:
 * all that can be asked is whether there is one).
 */
export type ComparisonKind = 'text' | 'number' | 'bigint' | 'presence';

/** What a value is compared by. Dates, datetimes and timestamps are milliseconds since 1970, times since midnight. */
export type Comparable = string | number | bigint | true;

const comparisons: Record<ScalarType, ComparisonKind> = {
  string: 'text',
  text: 'text',
  richtext: 'text',
  enumeration: 'text',
  email: 'text',
  uid: 'text',
  password: 'text',
  date: 'number',
  time: 'number',
  datetime: 'number',
  timestamp: 'number',
  integer: 'number',
  float: 'number',
  decimal: 'number',
  boolean: 'number',
  biginteger: 'bigint',
  json: 'presence',
  blocks: 'presence',
  array: 'presence',
};

export function comparisonKindOf(type: ScalarType): ComparisonKind {
  return comparisons[type];
}

/** Deeper JSON than this is refused: writing it out again would exhaust the stack. */
export const maximumJsonDepth = 200;
/** Objects with more keys than this are refused. */
const maximumJsonKeys = 10_000;

/** What a stored value (never null) is compared by, or undefined if the attribute cannot hold it. */
export function toComparable(attribute: ScalarAttribute, value: unknown): Comparable | undefined {
  switch (attribute.type) {
    case 'integer':
      return Number.isSafeInteger(value) ? (value as number) : undefined;
    case 'float':
    case 'decimal':
      return Number.isFinite(value) ? (value as number) : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? Number(value) : undefined;
    case 'biginteger':
      return bigintegerOf(value);
    case 'date':
      return typeof value === 'string' ? dateOf(value) : undefined;
    case 'time':
      return typeof value === 'string' ? timeOf(value) : undefined;
    case 'datetime':
      return typeof value === 'string' ? datetimeOf(value) : undefined;
    case 'timestamp':
      return timestampOf(value);
    case 'array':
    case 'blocks':
      return Array.isArray(value) && isBoundedJson(value, 0) ? true : undefined;
    case 'json':
      return isBoundedJson(value, 0) ? true : undefined;
    case 'richtext':
      if (!Array.isArray(value)) return textOf(value);
      return isBoundedJson(value, 0) ? richTextOf(value) : undefined;
    case 'enumeration':
      return attribute.values && !attribute.values.includes(value as string) ? undefined : textOf(value);
    default:
      return textOf(value);
  }
}

/** Takes values one after another, to write them as JSON. */
export interface JsonSink {
  /** A well-formed text, to be written in quotes, with escapes where JSON needs them. */
  text(value: string): void;
  /** A value that is JSON already, to be written as it stands. */
  raw(text: string): void;
}

/** Writes the value as a reply carries it. `comparable` is what comparableOf gave for it. */
export function writeJson(type: ScalarType, value: unknown, comparable: Comparable, taker: JsonSink): void {
  switch (type) {
    case 'biginteger':
    case 'timestamp':
      return taker.text(`${comparable}`);
    case 'datetime':
      return taker.text(
        servedDatetimeOf(value as string) === comparable
          ? (value as string)
          : new Date(comparable as number).toISOString(),
      );
    case 'json':
    case 'blocks':
    case 'array':
      return taker.raw(JSON.stringify(value));
    case 'richtext':
      return typeof value === 'string' ? taker.text(value) : taker.raw(JSON.stringify(value));
    default:
      return typeof value === 'string' ? taker.text(value) : taker.raw(`${value}`);
  }
}

/** What the attribute holds, in words for a message. */
export function expectationOf(attribute: ScalarAttribute): string {
  switch (attribute.type) {
    case 'integer':
      return 'a whole number within 2^53';
    case 'float':
    case 'decimal':
      return 'a number';
    case 'boolean':
      return 'true or false';
    case 'biginteger':
      return 'a whole number within 64 bits, or its text';
    case 'date':
      return 'a date as YYYY-MM-DD';
    case 'time':
      return 'a time as HH:mm:ss or HH:mm:ss.SSS';
    case 'datetime':
      return 'a datetime as ISO 8601 with a zone';
    case 'timestamp':
      return 'milliseconds since 1970, or ISO 8601 with a zone';
    case 'array':
    case 'blocks':
      return `a list, at most ${maximumJsonDepth} deep`;
    case 'json':
      return `JSON, at most ${maximumJsonDepth} deep and ${maximumJsonKeys} keys wide`;
    case 'richtext':
      return 'text, or a list of blocks with "type" and "children"';
    case 'enumeration':
      return `one of ${attribute.values?.join(', ')}`;
    default:
      return 'well-formed text';
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.isWellFormed() ? value : undefined;
}

function bigintegerOf(value: unknown): bigint | undefined {
  const isWhole = typeof value === 'string' ? /^-?\d{1,19}$/.test(value) : Number.isSafeInteger(value);
  if (!isWhole) return undefined;
  const integer = BigInt(value as string | number);
  return BigInt.asIntN(64, integer) === integer ? integer : undefined;
}

/** Milliseconds since 1970 of a date's midnight in UTC, or undefined for what is no date of the calendar. */
export function dateOf(text: string): number | undefined {
  return text.length === 10 ? midnightAtStart(text) : undefined;
}

/** The same of the date that a longer text begins with. */
function midnightAtStart(text: string): number | undefined {
  if (text[4] !== '-' || text[7] !== '-') return undefined;
  return midnightOf(numberAt(text, 0, 4), numberAt(text, 5, 7), numberAt(text, 8, 10));
}

/** What decimal digits from `start` up to `end` say, or NaN where other characters stand. */
function numberAt(text: string, start: number, end: number): number {
  let number = 0;
  for (let i = start; i < end; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

/** Milliseconds since midnight, or undefined. */
export function timeOf(text: string): number | undefined {
  const parts = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,3}))?$/.exec(text);
  if (!parts) return undefined;
  const [, hours, minutes, seconds, fraction = ''] = parts;
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(fraction.padEnd(3, '0'));
}

/** Milliseconds since 1970 of an ISO 8601 text with a zone, or undefined. */
function datetimeOf(text: string): number | undefined {
  const served = servedDatetimeOf(text);
  if (served !== undefined) return served;
  if (!/^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) return undefined;
  // every month has 28 days; only what comes later, in a year of four digits, is looked up in the calendar
  const isLate = text[4] === '-' && text.slice(8, 10) > '28';
  return isLate && midnightAtStart(text) === undefined ? undefined : milliseconds;
}

/** The same of a text as replies carry it, such as `2001-02-03T04:05:06.789Z`; undefined for all others. */
function servedDatetimeOf(text: string): number | undefined {
  if (text.length !== 24 || text[10] !== 'T' || text[19] !== '.' || text[23] !== 'Z') return undefined;
  if (text[13] !== ':' || text[16] !== ':') return undefined;
  const midnight = midnightAtStart(text);
  const [hours, minutes, seconds] = [numberAt(text, 11, 13), numberAt(text, 14, 16), numberAt(text, 17, 19)];
  const sinceMidnight = ((hours * 60 + minutes) * 60 + seconds) * 1000 + numberAt(text, 20, 23);
  const isInDay = hours < 24 && minutes < 60 && seconds < 60 && !Number.isNaN(sinceMidnight);
  return midnight !== undefined && isInDay ? midnight + sinceMidnight : undefined;
}

function timestampOf(value: unknown): number | undefined {
  if (typeof value === 'string' && !/^-?\d{1,16}$/.test(value)) return datetimeOf(value);
  const milliseconds = typeof value === 'string' ? Number(value) : value;
  return Number.isSafeInteger(milliseconds) ? (milliseconds as number) : undefined;
}

/** Whether a value is JSON of well-formed texts and keys within the bounds on depth and width. */
export function isBoundedJson(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return value !== undefined;
  if (depth === maximumJsonDepth) return false;
  if (Array.isArray(value)) return value.every((item) => isBoundedJson(item, depth + 1));
  const keys = Object.keys(value);
  if (keys.length > maximumJsonKeys) return false;
  return keys.every((key) => key.isWellFormed() && isBoundedJson((value as never)[key], depth + 1));
}
