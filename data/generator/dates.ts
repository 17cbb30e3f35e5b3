/** Days and moments in UTC. A moment is milliseconds since 1970. Nothing here reads the clock. */

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** The day on which the magazine stands still: no entry is newer. */
export const LAST_DAY = Date.UTC(2026, 10, 16);

/** The calendar day, `YYYY-MM-DD`. */
export function day(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}

export function iso(moment: number): string {
  return new Date(moment).toISOString();
}

/** `HH:mm:ss` from minutes since midnight. */
export function clock(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:00`;
}
