import { type CastPolicy, parseBoolean } from '../bind/cast.ts';
import { parseInstant } from './instant.ts';

/** Reads values as Strapi does. As an operand every other word is true, and every form of ISO 8601 is an instant. */
export const strapiCasts: CastPolicy = {
  isAbsent: (value) => value === undefined || value === null,
  flag: parseBoolean,
  boolean: (value) => parseBoolean(value) ?? (value !== '' && value !== null),
  endsDate: () => true,
  instant: parseInstantOrNumber,
  trimTime: (text) => text,
};

/** The range of the platform's dates, in milliseconds before and after 1970. */
const latestInstant = 8.64e15;

/** Reads an instant in any form, or else milliseconds. `2003` is a year. */
function parseInstantOrNumber(text: string): number | null {
  const instant = parseInstant(text);
  if (instant !== null || !/^-?\d+$/.test(text)) return instant;
  return Math.abs(Number(text)) <= latestInstant ? Number(text) : null;
}
