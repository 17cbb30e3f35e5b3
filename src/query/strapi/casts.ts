import { midnightOf } from '../../model/schema/calendar.ts';
import { type CastPolicy, parseBoolean } from '../bind/cast.ts';

/** Reads values as Strapi does. As an operand every other word is true, and every form of ISO 8601 is an instant. */
export const strapiCasts: CastPolicy = {
  isAbsent: (value) => value === undefined || value === null,
  flag: parseBoolean,
  boolean: (value) => parseBoolean(value) ?? (value !== '' && value !== null),
  endsDate: () => true,
  instant: parseInstantOrNumber,
  trimTime: (text) => text,
  looseId: null,
  jsonAsWritten: false,
};

/** The range of the platform's dates, in milliseconds before and after 1970. */
const latestInstant = 8.64e15;

/** Reads an instant in any form, or else milliseconds. `2003` is a year. */
function parseInstantOrNumber(text: string): number | null {
  const instant = parseInstant(text);
  if (instant !== null || !/^-?\d+$/.test(text)) return instant;
  return Math.abs(Number(text)) <= latestInstant ? Number(text) : null;
}

/**
 * Instants in every form of ISO 8601 that Strapi reads, including reduced dates and dates without time:
 * `2003`, `200105`, `2010-W01-3`, `2010-032`, `20`, `2001-02-03 04:05,5+02`. Without a zone they are in UTC.
 */

const day = 86_400_000;
const hour = 3_600_000;
const minute = 60_000;

/** A year or a century, then nothing, a day of the year, a month, a month and a day, or a week and perhaps its day. */
const dateForm =
  /^(?:(?<year>\d{4}|[+-]\d{6})|(?<century>\d{2}|[+-]\d{4}))-?(?:(?<ordinal>\d{3})|(?<month>\d{2})(?:-?(?<day>\d{2}))?|W(?<week>\d{2})(?:-?(?<weekday>\d))?)?$/;
/** Each part may have a fraction. */
const timeForm = /^(\d{2}(?:[.,]\d*)?)(?::?(\d{2}(?:[.,]\d*)?))?(?::?(\d{2}(?:[.,]\d*)?))?$/;
const zoneForm = /^([+-])(\d{2})(?::?(\d{2}))?$/;

/** Returns milliseconds since 1970, or null if the text is no instant. */
export function parseInstant(text: string): number | null {
  const parts = text.split(/[T ]/);
  if (parts.length > 2) return null;
  let [date, time = ''] = parts;
  // a zone may follow the date itself
  const zone = date.indexOf('Z');
  if (zone >= 0) [date, time] = [date.slice(0, zone), text.slice(zone)];
  const midnight = parseDate(date);
  if (midnight === null || time === '') return midnight;
  const start = time.search(/[Z+-]/);
  const clock = start < 0 ? time : time.slice(0, start);
  const sinceMidnight = clock === '' ? 0 : parseTime(clock);
  const offset = start < 0 ? 0 : parseZone(time.slice(start));
  return sinceMidnight === null || offset === null ? null : midnight + sinceMidnight - offset;
}

function parseDate(text: string): number | null {
  const parts = dateForm.exec(text)?.groups;
  if (!parts || (parts.century !== undefined && text.length > parts.century.length)) return null;
  const year = parts.year === undefined ? Number(parts.century) * 100 : Number(parts.year);
  if (parts.week === undefined && parts.ordinal === undefined) {
    return midnightOf(year, Number(parts.month ?? 1), Number(parts.day ?? 1)) ?? null;
  }
  const newYear = midnightOf(year, 1, 1);
  if (newYear === undefined) return null;
  if (parts.week !== undefined) {
    const [week, weekday] = [Number(parts.week), Number(parts.weekday ?? 1)];
    if (week < 1 || week > 53 || weekday < 1 || weekday > 7) return null;
    // the fourth of January is always in the first week, which begins on a Monday
    const fourth = newYear + 3 * day;
    return fourth + ((week - 1) * 7 + weekday - (new Date(fourth).getUTCDay() || 7)) * day;
  }
  const ordinal = Number(parts.ordinal);
  const nextYear = midnightOf(year + 1, 1, 1);
  const midnight = newYear + (ordinal - 1) * day;
  return ordinal >= 1 && nextYear !== undefined && midnight < nextYear ? midnight : null;
}

function parseTime(text: string): number | null {
  const parts = timeForm.exec(text);
  if (!parts) return null;
  const [hours, minutes, seconds] = parts.slice(1).map((part = '0') => Number.parseFloat(part.replace(',', '.')));
  const isInDay = hours === 24 ? minutes === 0 && seconds === 0 : hours < 25 && minutes < 60 && seconds < 60;
  return isInDay ? Math.trunc(hours * hour + minutes * minute + seconds * 1000) : null;
}

/** Returns the offset from UTC, which is zero for a text that is no zone, or null for one out of range. */
function parseZone(text: string): number | null {
  const parts = zoneForm.exec(text);
  if (!parts) return 0;
  const [, sign, hours, minutes = '0'] = parts;
  if (Number(minutes) > 59) return null;
  return (sign === '+' ? 1 : -1) * (Number(hours) * hour + Number(minutes) * minute);
}
