/** Values of PostgreSQL: from the text that the server sends to the form of an export, as Strapi reads them. */
import type { ScalarType } from '../../../model/schema/schema.ts';
import type { DatabaseValue } from '../database.ts';
import { parseStoredJson } from '../row-values.ts';

/** The numbers of types in the catalogue. */
const [bool, int8, int2, int4, oid, float4, float8] = [16, 20, 21, 23, 26, 700, 701];

const asText = (text: string): DatabaseValue => text;

/** Returns what parses the text of a column. All but booleans and numbers stays text: numerics, times, JSON. */
export function parserOf(type: number): (text: string) => DatabaseValue {
  switch (type) {
    case bool:
      return (text) => (text === 't' ? 1 : 0);
    case int8:
      return (text) => {
        const number = Number(text);
        return Number.isSafeInteger(number) ? number : BigInt(text);
      };
    case int2:
    case int4:
    case oid:
    case float4:
    case float8:
      return Number;
    default:
      return asText;
  }
}

/** As in Strapi, an invalid date becomes null and invalid JSON stays a string. */
export function readPostgresValue(type: ScalarType, value: DatabaseValue): unknown {
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
export function readPostgresTime(value: DatabaseValue): number {
  const isText = typeof value === 'string' && /^\d{4,}-\d\d-\d\d \d/.test(value);
  return new Date(isText ? value.replace(' ', 'T') : typeof value === 'string' ? value : Number(value)).getTime();
}

function validDate(value: DatabaseValue): Date | null {
  const time = readPostgresTime(value);
  return Number.isNaN(time) ? null : new Date(time);
}
