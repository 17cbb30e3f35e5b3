/** What the values of one key say of its attribute, where a file holds data and no content types. */
import { dateOf, toComparable } from '../../model/value-types.ts';

/** The attribute types that are inferred. */
export type InferredType = 'string' | 'date' | 'datetime' | 'integer' | 'float' | 'boolean' | 'json';

/**
 * Returns the type that holds every one of the values, of which none is null. Dates are recognised only where every
 * value is one. What has no type in common, as lists and objects do, is JSON.
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

export function isDatetime(value: unknown): boolean {
  const attribute = { kind: 'scalar', name: '', type: 'datetime', private: false, searchable: false } as const;
  return toComparable(attribute, value) !== undefined;
}

/**
 * Returns the datetime of a value: of a date, midnight in UTC. Undefined for what is neither. Each entry has some
 * attributes that hold datetimes.
 */
export function datetimeOfValue(value: unknown): unknown {
  if (value === null || value === undefined || isDatetime(value)) return value ?? null;
  return typeof value === 'string' && dateOf(value) !== undefined ? `${value}T00:00:00.000Z` : undefined;
}
