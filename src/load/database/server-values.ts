/** Values that a database server sends as text, in the form of an export, as Strapi reads them. */
import type { ScalarType } from '../../model/schema/schema.ts';
import type { DatabaseValue } from './database.ts';
import { parseStoredJson } from './row-values.ts';

/** As in Strapi, an invalid date becomes null and invalid JSON stays a string. */
export function readServerValue(type: ScalarType, value: DatabaseValue): unknown {
  if (value === null) return null;
  switch (type) {
    case 'boolean':
      return value === 1 || value === '1' ? true : value === 0 || value === '0' ? false : null;
    case 'datetime':
      return validDate(value)?.toISOString() ?? null;
    case 'timestamp':
      return validDate(value)?.getTime().toString() ?? null;
    case 'integer':
    case 'float':
    case 'decimal':
      return Number(value);
    case 'json':
    case 'blocks':
    case 'array':
      return parseStoredJson(typeof value === 'bigint' ? Number(value) : (value as string | number));
    case 'date':
    case 'time':
      return typeof value === 'bigint' ? Number(value) : value;
    default:
      return String(value);
  }
}

/** Returns a point in time in milliseconds since 1970. Strapi writes the local time of its process, without a zone. */
export function readServerTime(value: DatabaseValue): number {
  const isText = typeof value === 'string' && /^\d{4,}-\d\d-\d\d \d/.test(value);
  return new Date(isText ? value.replace(' ', 'T') : typeof value === 'string' ? value : Number(value)).getTime();
}

function validDate(value: DatabaseValue): Date | null {
  const time = readServerTime(value);
  return Number.isNaN(time) ? null : new Date(time);
}
