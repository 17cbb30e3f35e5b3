/** Writes queries as query strings, in the bracket notation that Strapi and Lectern read. */

/**
 * Returns a query string without its question mark: `filters[title][$eq]=x`. It fits the serializers of OpenAPI clients.
 * Leaves out `undefined`. Throws a TypeError for a value that a URL cannot hold, and names its place.
 */
export function stringifyQuery(query: object): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(query)) write(parts, encodeURIComponent(name), name, value);
  return parts.join('&');
}

/** `key` is written; `place` is for messages. */
function write(parts: string[], key: string, place: string, value: unknown): void {
  if (value === undefined) return;
  // a key without a value is null, which filters compare with
  if (value === null) parts.push(key);
  else if (value instanceof Date) parts.push(`${key}=${encodeURIComponent(textOfDate(value, place))}`);
  else if (typeof value === 'object') {
    const members = Object.entries(value);
    // without it, a query that should find nothing would find everything
    if (Array.isArray(value) && members.length === 0) {
      throw new TypeError(`${place}: an empty list has no form in a URL`);
    }
    for (const [name, member] of members) {
      if (member === undefined && Array.isArray(value)) throw new TypeError(`${place}[${name}]: is undefined`);
      write(parts, `${key}[${encodeURIComponent(name).replaceAll('%24', '$')}]`, `${place}.${name}`, member);
    }
  } else if (typeof value === 'function' || typeof value === 'symbol' || Number.isNaN(value)) {
    throw new TypeError(`${place}: ${String(value)} has no form in a URL`);
  } else parts.push(`${key}=${encodeURIComponent(String(value))}`);
}

function textOfDate(date: Date, place: string): string {
  if (Number.isNaN(date.getTime())) throw new TypeError(`${place}: is an invalid date`);
  return date.toISOString();
}
