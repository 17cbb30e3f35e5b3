/** Values of MySQL and MariaDB, from the text that the server sends. */
import type { DatabaseValue } from '../database.ts';

/** A value as mysql2 hands it over. */
export interface Field {
  readonly type: string;
  string(encoding?: string): string | null;
}

/** Returns the value of a column. All but numbers stays text: decimals, times, JSON. */
export function readField(field: Field): DatabaseValue {
  // the encoding of JSON and of texts with a binary collation would be that of bytes
  const text = field.string('utf8');
  if (text === null) return null;
  switch (field.type) {
    case 'TINY':
    case 'SHORT':
    case 'INT24':
    case 'LONG':
    case 'YEAR':
    case 'FLOAT':
    case 'DOUBLE':
      return Number(text);
    case 'LONGLONG': {
      const number = Number(text);
      return Number.isSafeInteger(number) ? number : BigInt(text);
    }
    case 'JSON':
      // the type of MySQL; Strapi's client parses it before Strapi does, and only texts are then parsed again
      return text.startsWith('"') ? (JSON.parse(text) as string) : text;
    default:
      return text;
  }
}
