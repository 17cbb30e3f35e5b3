/** Infers attribute types from the values of a data file without content types. */
import { dateOf, datetimeOf } from '../../model/schema/calendar.ts';

/** The attribute types that are inferred. */
type InferredType = 'string' | 'date' | 'datetime' | 'integer' | 'float' | 'boolean' | 'json';

/**
 * Returns a type that accepts all values. The values must not contain null. Returns `date` or `datetime` only if every
 * value is one. Returns `json` for arrays, objects and mixed types.
 */
export function typeOfValues(values: readonly unknown[]): InferredType {
  const first = values[0];
  if (!values.every((value) => typeof value === typeof first)) return 'json';
  switch (typeof first) {
    case 'boolean':
      return 'boolean';
    case 'number':
      return values.every(Number.isSafeInteger) ? 'integer' : 'float';
    case 'string':
    case 'undefined':
      return typeOfTexts(values as readonly string[]);
    default:
      return 'json';
  }
}

function typeOfTexts(texts: readonly string[]): InferredType {
  if (texts.length === 0) return 'string';
  if (texts.every((text) => dateOf(text) !== undefined)) return 'date';
  return texts.every(isDatetime) ? 'datetime' : 'string';
}

function isDatetime(value: unknown): boolean {
  return typeof value === 'string' && datetimeOf(value) !== undefined;
}

/**
 * Converts a value to a datetime, for attributes such as `createdAt`. A date becomes midnight UTC. Returns null for
 * null and undefined for other values.
 */
export function datetimeOfValue(value: unknown): unknown {
  if (value === null || value === undefined || isDatetime(value)) return value ?? null;
  return typeof value === 'string' && dateOf(value) !== undefined ? `${value}T00:00:00.000Z` : undefined;
}
