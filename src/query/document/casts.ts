import { dateOf } from '../../model/schema/calendar.ts';
import { type CastPolicy, parseBoolean } from '../bind/cast.ts';

const parseAnyCase = (value: unknown) => parseBoolean(typeof value === 'string' ? value.toLowerCase() : value);

/** Accepts six words in any case as booleans, and plain dates and times. Everything else is a mistake. */
export const documentCasts: CastPolicy = {
  isAbsent: (value) => value === undefined,
  flag: parseAnyCase,
  boolean: parseAnyCase,
  endsDate: (rest) => rest === '' || /^[T ]/.test(rest),
  trimTime: (text) => text.trim(),
  instant: instantOf,
};

/** Reads a number of milliseconds, or an ISO date or datetime. Without a zone it is in UTC. */
function instantOf(text: string): number | null {
  if (/^-?\d{1,16}$/.test(text)) return Number(text);
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/.exec(text);
  if (!parts || dateOf(parts[1]) === undefined) return null;
  const zone = parts[3] === undefined ? 'Z' : parts[3].length === 3 ? `${parts[3]}:00` : parts[3];
  const milliseconds = Date.parse(parts[2] === undefined ? parts[1] : `${parts[1]}T${parts[2]}${zone}`);
  return Number.isNaN(milliseconds) ? null : milliseconds;
}
