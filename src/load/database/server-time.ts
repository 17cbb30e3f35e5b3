import type { DatabaseValue } from './database.ts';

/**
 * Returns a point in time that a database server sent as text, in milliseconds since 1970. Strapi writes the local time of its
 * process, without a zone.
 */
export function readServerTime(value: DatabaseValue): number {
  const isText = typeof value === 'string' && /^\d{4,}-\d\d-\d\d \d/.test(value);
  return new Date(isText ? value.replace(' ', 'T') : typeof value === 'string' ? value : Number(value)).getTime();
}
