/** Writes queries as query strings, in the bracket notation that Strapi and Lectern read. */

/**
 * Returns a query string without its question mark: `filters[title][$eq]=x`. It fits the serializers of OpenAPI clients.
 * A parameter or option that is `undefined` counts as absent. Throws a TypeError, which names the place, for a value that
 * no URL can hold, and for what would find more if it were left out: `undefined` and empty groups in filters.
 */
export function stringifyQuery(query: object): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    write(parts, { key: encodeURIComponent(name), place: name, name, isFilter: name === 'filters' }, value);
  }
  return parts.join('&');
}

interface Site {
  /** As it is written. */
  readonly key: string;
  /** For messages. */
  readonly place: string;
  /** The last part. */
  readonly name: string;
  readonly isFilter: boolean;
}

function write(parts: string[], site: Site, value: unknown): void {
  const { key } = site;
  if (value === undefined && !site.isFilter) return;
  // a key without a value is null, which filters compare with
  if (value === null) parts.push(key);
  else if (value instanceof Date) parts.push(`${key}=${encodeURIComponent(textOf(value, site))}`);
  else if (typeof value === 'object') writeMembers(parts, site, value);
  else if (isText(value)) parts.push(`${key}=${encodeURIComponent(String(value))}`);
  else throw wrong(site, `${String(value)} has no form in a URL`);
}

function writeMembers(parts: string[], site: Site, value: object): void {
  const { key, place, name, isFilter } = site;
  const members = Object.entries(value);
  const isList = Array.isArray(value);
  if (members.length === 0 && (isList || (isFilter && place !== 'filters'))) {
    // no value is in a list that has none
    if (isList && name === '$in') return void parts.push(key);
    if (isList && !isFilter && (name === 'populate' || name === 'sort')) return;
    throw wrong(site, `an empty ${isList ? 'list' : 'group'} has no form in a URL`);
  }
  for (const [member, inner] of members) {
    if (inner === undefined && isList) throw wrong(site, `item ${member} is undefined`);
    const at = {
      key: `${key}[${encodeURIComponent(member).replace('%24', '$')}]`,
      place: isList ? `${place}[${member}]` : `${place}.${member}`,
      name: member,
      isFilter: isFilter || (member === 'filters' && !isList),
    };
    write(parts, at, inner);
  }
}

function isText(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint';
}

function textOf(date: Date, site: Site): string {
  if (Number.isNaN(date.getTime())) throw wrong(site, 'is an invalid date');
  return date.toISOString();
}

function wrong({ place }: Site, what: string): TypeError {
  return new TypeError(`${place}: ${what}`);
}
