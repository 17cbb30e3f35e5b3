/** The proleptic Gregorian calendar of ISO 8601. */

/** The calendar repeats after 400 years. */
const cycleYears = 400;
const cycleMilliseconds = 146_097 * 86_400_000;

/** Returns midnight UTC of a date in milliseconds since 1970, or undefined if the date does not exist. */
export function midnightOf(year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1) return undefined;
  // Date.UTC reads the year 99 as 1999
  const shift = year >= 0 && year < 100 ? cycleYears : 0;
  const midnight = Date.UTC(year + shift, month - 1, day);
  // Date.UTC moves 30 February to March
  if (Number.isNaN(midnight) || (day > 28 && midnight >= Date.UTC(year + shift, month, 1))) return undefined;
  return shift === 0 ? midnight : midnight - cycleMilliseconds;
}
