/** Values that their attribute cannot hold, as Strapi serves them: databases keep them when a schema changes. */
import type { ScalarAttribute, ScalarType } from './schema.ts';
import { type Comparable, isBoundedJson, toComparable } from './value-types.ts';

export interface ToleratedValue {
  /** The value that is served. */
  readonly value: unknown;
  /** What it is compared by, or undefined where it has no meaning for its type: filters and sorts take it for null. */
  readonly comparable: Comparable | undefined;
}

const booleans = new Map<unknown, boolean>([
  ...['true', 't', '1', 1].map((word) => [word, true] as const),
  ...['false', 'f', '0', 0].map((word) => [word, false] as const),
]);

/**
 * What Strapi serves for a value that `comparableOf` refuses. Undefined for JSON that is too deep or too wide to be
 * served.
 */
export function toleratedValue(attribute: ScalarAttribute, value: unknown): ToleratedValue | undefined {
  const { type } = attribute;
  if (typeof value === 'object' || type === 'json' || type === 'blocks' || type === 'array') {
    if (!isBoundedJson(value, 0)) return undefined;
    // in columns of JSON any JSON may stand; elsewhere it has no meaning
    return { value, comparable: type === 'blocks' || type === 'array' ? true : undefined };
  }
  const cast = castValue(type, value);
  // an enumeration is text that its definition may have forgotten; a whole number is a number
  const looser = ({ enumeration: 'string', integer: 'float' } as const)[type as 'enumeration' | 'integer'] ?? type;
  return { value: cast, comparable: toComparable({ ...attribute, type: looser }, cast) };
}

/** What Strapi's field of a type makes of a text, number or boolean. */
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

/** A datetime that is written as a number, as a date alone, or without a zone, which then is UTC. */
function datetimeOf(value: unknown): string | undefined {
  const hasNoZone = typeof value === 'string' && !/(Z|[+-]\d\d:?\d\d)$/i.test(value) && value.length > 10;
  const date = new Date(hasNoZone ? `${value}Z` : (value as string | number));
  return typeof value === 'boolean' || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
