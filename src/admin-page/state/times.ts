/** Times for people. */

const units = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3600 },
  { name: 'minute', seconds: 60 },
];

/** Returns a duration in the largest unit of which there are two, so that `90 minutes` is not rounded to an hour. */
export function durationText(seconds: number): string {
  const unit = units.find((each) => seconds >= 2 * each.seconds) ?? { name: 'second', seconds: 1 };
  const count = unit.seconds === 1 && seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds / unit.seconds);
  return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
}

/** Returns a point in time, given as ISO 8601, in the time zone of the reader. */
export function timeText(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  return time.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}
