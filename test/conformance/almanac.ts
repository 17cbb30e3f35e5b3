/**
 * An almanac: the export of a Strapi 4.26 on PostgreSQL, and what it answered while it served the same content.
 * test/strapi/version-4 makes both.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Caller } from '../strapi/version-4/access.ts';

export interface Recording {
  caller: Caller;
  path: string;
  status: number;
  body: unknown;
}

const folder = new URL('almanac/', import.meta.url);

export const almanacExport = fileURLToPath(new URL('export.tar.gz', folder));
export const almanacRecordings = fileURLToPath(new URL('recordings.jsonl.gz', folder));

export function readAlmanac(): Recording[] {
  const text = gunzipSync(readFileSync(almanacRecordings)).toString();
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

/** Intended deviations, recognised by the query string. docs/strapi-4.md has the reasons. */
const knownDifferences: readonly [query: string, what: string][] = [
  ['filters[title][$contains]=_', '_ and % stand for themselves'],
  ['filters[title][$contains]=%', '_ and % stand for themselves'],
  ['filters[title][$nope]=1', 'an unknown operator is refused'],
  ['filters[rating]=many', 'a wrong value is a 400, not a 500'],
  ['sort=title:up', 'a wrong order is a 400, not a 500'],
  ['fields=title,slug', 'fields may be joined by commas'],
  ['fields=title,locale', 'fields may be joined by commas'],
  ['?limit=2', 'a limit outside pagination is ignored'],
  ['&limit=2', 'a limit outside pagination is ignored'],
  ['populate[author][populate][articles][limit]=2', 'a limit in populate counts for each entry'],
  ['populate[blocks][on][block.promo]', 'drafts are hidden below "on" too'],
  ['/api/notes?populate=*', 'private attributes are hidden behind morphToOne too'],
  ['/api/notes?populate=subject', 'private attributes are hidden behind morphToOne too'],
  ['/api/notes?populate[subject]', 'private attributes are hidden behind morphToOne too'],
  ['/api/articles?sort=', 'without a sort, entries stand in the order of their ids'],
  ['/api/homepage?locale=all', 'without a sort, entries stand in the order of their ids'],
  ['upload/files?populate=related', 'without a sort, entries stand in the order of their ids'],
  ['/api/articles/abc', 'an id that is no number is not found, not a 500'],
  ['/api/articles/1abc', 'an id that is no number is not found, not a 500'],
];

/** The reason of an intended deviation, or null. */
export function knownDifference(path: string): string | null {
  const text = decodeURIComponent(path);
  const exact = knownDifferences.find(([query]) => text === query);
  const [, what = null] =
    exact ?? knownDifferences.find(([query]) => !query.endsWith('sort=') && text.includes(query)) ?? [];
  return what;
}

/**
 * A reply as far as it is compared: Strapi 4 knows no documentIds, and its errors are worded in another way. Of those
 * the status counts.
 */
export function comparable({ status, body }: { status: number; body: unknown }): unknown {
  const refused = status >= 400 && typeof body === 'object' && body !== null;
  return { status, body: refused ? Object.keys(body).sort() : withoutDocumentIds(body) };
}

function withoutDocumentIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDocumentIds);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'documentId');
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutDocumentIds(inner)]));
}
