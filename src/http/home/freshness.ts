/** How fresh the content is that the home page shows. Times are in milliseconds since 1970. */
export interface HomeFreshness {
  /** What the content comes from. */
  readonly source: string;
  /** When it was last read, or found to be unchanged; null if it was not yet. */
  readonly readAt: number | null;
  /** Why it could not be read the last time, and when. Null after a success. */
  readonly error: { readonly message: string; readonly at: number } | null;
}

/** Returns sentences such as "Content from a Strapi, as of 3 seconds ago." */
export function freshnessText({ source, readAt, error }: HomeFreshness, now: number): string {
  const age = readAt === null ? '' : `, as of ${ago(now - readAt)}`;
  const failure = error ? ` The last attempt to read it was ${ago(now - error.at)}: ${error.message}.` : '';
  return `Content from ${source}${age}.${failure}`;
}

const units = [
  { name: 'day', milliseconds: 86_400_000 },
  { name: 'hour', milliseconds: 3_600_000 },
  { name: 'minute', milliseconds: 60_000 },
  { name: 'second', milliseconds: 1000 },
];

/** Returns a time in the past in its largest unit: `3 minutes ago`. */
function ago(milliseconds: number): string {
  const unit = units.find((each) => milliseconds >= each.milliseconds);
  if (!unit) return 'less than a second ago';
  const count = Math.floor(milliseconds / unit.milliseconds);
  return `${count} ${unit.name}${count === 1 ? '' : 's'} ago`;
}
