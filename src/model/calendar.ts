/** The calendar of ISO 8601: the Gregorian one, before there was one too. */

/** After so many years the calendar begins anew; in milliseconds. */
const cycleYears = 400;
const cycle = 146_097 * 86_400_000;

/** Milliseconds since 1970 of a date's midnight in UTC, or undefined for what is no date of the calendar. */
export function midnightOf(year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1) return undefined;
  // the platform takes 99 for 1999
  const shift = year >= 0 && year < 100 ? cycleYears : 0;
  const midnight = Date.UTC(year + shift, month - 1, day);
  // and 30 February for a day of March
  if (Number.isNaN(midnight) || (day > 28 && midnight >= Date.UTC(year + shift, month, 1))) return undefined;
  return shift === 0 ? midnight : midnight - cycle;
}
