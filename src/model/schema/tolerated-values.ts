/** Casts values that do not match their attribute type as Strapi does. Databases keep them when a schema changes. */
import type { ScalarAttribute, ScalarType } from './schema.ts';
import { type Comparable, isBoundedJson, toComparable } from './value-types.ts';

export interface ToleratedValue {
  /** The served value. */
  readonly value: unknown;
  /** The comparison key. Undefined if the value cannot be cast: filters and sorting then treat it as null. */
  readonly comparable: Comparable | undefined;
}

const booleans = new Map<unknown, boolean>([
  ...['true', 't', '1', 1].map((word) => [word, true] as const),
  ...['false', 'f', '0', 0].map((word) => [word, false] as const),
]);

/**
 * Returns what Strapi serves for a value that `toComparable` rejects. Returns undefined for JSON that exceeds the
 * limits on depth and width.
 */
export function toleratedValue(attribute: ScalarAttribute, value: unknown): ToleratedValue | undefined {
  const { type } = attribute;
  if (typeof value === 'object' || type === 'json' || type === 'blocks' || type === 'array') {
    if (!isBoundedJson(value)) return undefined;
    // JSON columns hold any JSON; other columns cannot compare it
    return { value, comparable: type === 'blocks' || type === 'array' ? true : undefined };
  }
  const cast = castValue(type, value);
  // compare unlisted enumeration values as text, and fractions in integer columns as numbers
  const comparedType =
    ({ enumeration: 'string', integer: 'float' } as const)[type as 'enumeration' | 'integer'] ?? type;
  return { value: cast, comparable: toComparable({ ...attribute, type: comparedType }, cast) };
}

/** Casts a string, number or boolean like Strapi's field of that type. Returns the value itself if no cast applies. */
function castValue(type: ScalarType, value: unknown): unknown {
  switch (type) {
    case 'boolean':
      return booleans.get(value) ?? value;
    case 'integer':
    case 'float':
    case 'decimal':
      return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
    case 'date':
      return /^\d{4}-\d\d-\d\d/.exec(String(value))?.[0] ?? value;
    case 'datetime':
      return datetimeOf(value) ?? value;
    case 'time':
    case 'timestamp':
    case 'biginteger':
      return value;
    default:
      return String(value).toWellFormed();
  }
}

/** Parses a number, a date or a datetime. A datetime without a time zone is UTC. */
function datetimeOf(value: unknown): string | undefined {
  const hasNoZone = typeof value === 'string' && !/(Z|[+-]\d\d:?\d\d)$/i.test(value) && value.length > 10;
  const date = new Date(hasNoZone ? `${value}Z` : (value as string | number));
  return typeof value === 'boolean' || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
