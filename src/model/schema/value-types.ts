/** Validates, compares and serialises the values of scalar attributes. */
import { dateOf, datetimeOf, hasServedForm, timeOf } from './calendar.ts';
import type { ScalarAttribute, ScalarType } from './schema.ts';

/**
 * How values of a type compare: as text by code point, as numbers, or as 64-bit integers. Values of kind `presence`
 * only compare with null.
 */
export type ComparisonKind = 'text' | 'number' | 'bigint' | 'presence';

/** Comparison key of a value. Dates, datetimes and timestamps are milliseconds since 1970, times since midnight. */
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

/** Maximum depth of JSON. Serialising deeper JSON would exhaust the stack. */
export const maximumJsonDepth = 200;
/** Maximum number of keys in one object. */
export const maximumJsonKeys = 10_000;

/** Returns the comparison key of a non-null value, or undefined if the value does not match the attribute type. */
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
      return Array.isArray(value) && isBoundedJson(value) ? true : undefined;
    case 'json':
      return isBoundedJson(value) ? true : undefined;
    case 'richtext':
      if (!Array.isArray(value)) return asText(value);
      return isBoundedJson(value) ? richTextOf(value) : undefined;
    case 'enumeration':
      return attribute.values && !attribute.values.includes(value as string) ? undefined : asText(value);
    default:
      return asText(value);
  }
}

/** Receives values in order and writes them as JSON. */
export interface JsonSink {
  /** Writes a well-formed string, quoted and escaped. */
  text(value: string): void;
  /** Writes JSON unchanged. */
  raw(text: string): void;
}

/** Writes a value in the form of replies. `comparable` is its key from toComparable, so the value is valid. */
export function writeJson(type: ScalarType, value: unknown, comparable: Comparable, sink: JsonSink): void {
  switch (type) {
    case 'biginteger':
    case 'timestamp':
      return sink.text(`${comparable}`);
    case 'datetime':
      return sink.text(
        hasServedForm(value as string) ? (value as string) : new Date(comparable as number).toISOString(),
      );
    case 'json':
    case 'blocks':
    case 'array':
      return sink.raw(JSON.stringify(value));
    case 'richtext':
      return typeof value === 'string' ? sink.text(value) : sink.raw(JSON.stringify(value));
    default:
      return typeof value === 'string' ? sink.text(value) : sink.raw(`${value}`);
  }
}

/** Describes the valid values of an attribute, for messages. */
export function describeExpectedValue(attribute: ScalarAttribute): string {
  switch (attribute.type) {
    case 'integer':
      return 'an integer within 2^53';
    case 'float':
    case 'decimal':
      return 'a number';
    case 'boolean':
      return 'true or false';
    case 'biginteger':
      return 'a 64-bit integer, as a number or a string';
    case 'date':
      return 'a date as YYYY-MM-DD';
    case 'time':
      return 'a time as HH:mm:ss or HH:mm:ss.SSS';
    case 'datetime':
      return 'an ISO 8601 datetime with a time zone';
    case 'timestamp':
      return 'milliseconds since 1970, or an ISO 8601 datetime with a time zone';
    case 'array':
    case 'blocks':
      return `a list, at most ${maximumJsonDepth} deep`;
    case 'json':
      return `JSON, at most ${maximumJsonDepth} deep and ${maximumJsonKeys} keys wide`;
    case 'richtext':
      return 'a string, or a list of blocks with "type" and "children"';
    case 'enumeration':
      return `one of ${attribute.values?.join(', ')}`;
    default:
      return 'a well-formed string';
  }
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value.isWellFormed() ? value : undefined;
}

function bigintegerOf(value: unknown): bigint | undefined {
  const isWhole = typeof value === 'string' ? /^-?\d{1,19}$/.test(value) : Number.isSafeInteger(value);
  if (!isWhole) return undefined;
  const integer = BigInt(value as string | number);
  return BigInt.asIntN(64, integer) === integer ? integer : undefined;
}

function timestampOf(value: unknown): number | undefined {
  if (typeof value === 'string' && !/^-?\d{1,16}$/.test(value)) return datetimeOf(value);
  const milliseconds = typeof value === 'string' ? Number(value) : value;
  return Number.isSafeInteger(milliseconds) ? (milliseconds as number) : undefined;
}

/** Returns whether a value is JSON with well-formed strings and keys, within the limits on depth and width. */
export function isBoundedJson(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return value !== undefined;
  if (depth === maximumJsonDepth) return false;
  if (Array.isArray(value)) return value.every((item) => isBoundedJson(item, depth + 1));
  const keys = Object.keys(value);
  if (keys.length > maximumJsonKeys) return false;
  return keys.every((key) => key.isWellFormed() && isBoundedJson((value as never)[key], depth + 1));
}

/** Plain text of rich text in blocks, for filters, sorting and search. */

/**
 * Returns the text of a list of blocks, or undefined if an item is not a block with `type` and `children`. Each block
 * and each item of a list block is one line. The text of links is included.
 */
export function richTextOf(blocks: readonly unknown[]): string | undefined {
  return blocks.every(isBlock) ? blocks.map(textOfNode).join('\n') : undefined;
}

interface RichTextNode {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly children?: unknown;
}

function isBlock(value: unknown): boolean {
  const { type, children } = (value ?? {}) as RichTextNode;
  return typeof type === 'string' && Array.isArray(children);
}

function textOfNode(node: unknown): string {
  const { type, text, children } = (node ?? {}) as RichTextNode;
  if (typeof text === 'string') return text;
  return Array.isArray(children) ? children.map(textOfNode).join(type === 'list' ? '\n' : '') : '';
}
