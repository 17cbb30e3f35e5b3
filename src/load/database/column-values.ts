/** Values of columns in the form of an export, as the fields of @strapi/database read them. */
import type { ScalarType } from '../../model/schema/schema.ts';
import type { DatabaseValue } from './database-driver.ts';

/**
 * Returns the value of a scalar attribute. Big integers are texts with all their digits, although Strapi on SQLite
 * rounds them to a double. As in Strapi, an invalid date becomes null and invalid JSON stays a string.
 */
export function readValue(type: ScalarType, value: DatabaseValue): unknown {
  if (value === null) return null;
  switch (type) {
    case 'boolean':
      return value === 1 || value === '1' ? true : value === 0 || value === '0' ? false : null;
    case 'datetime':
      return toDate(value)?.toISOString() ?? null;
    case 'timestamp':
      return toDate(value)?.getTime().toString() ?? null;
    case 'integer':
    case 'float':
    case 'decimal':
      return Number(value);
    case 'biginteger':
      return String(value);
    case 'json':
    case 'blocks':
    case 'array':
      return parseStoredJson(value);
    case 'date':
    case 'time':
      return plain(value);
    default:
      return String(plain(value));
  }
}

/** Dates are milliseconds, and texts in rows that other programs wrote. */
function toDate(value: DatabaseValue): Date | null {
  const date = new Date(plain(value) as number | string);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Versions before 5.0 wrote JSON as the JSON of a text, so a text inside is read again. */
function parseStoredJson(value: DatabaseValue): unknown {
  const written = plain(value);
  if (typeof written !== 'string') return written;
  try {
    const parsed: unknown = JSON.parse(written);
    return typeof parsed === 'string' ? JSON.parse(parsed) : parsed;
  } catch {
    return written;
  }
}

function plain(value: DatabaseValue): string | number | null {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString() : value;
}
