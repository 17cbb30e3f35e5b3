/** The JSON around the entries of a reply. */
import type { BitSet } from '../../core/sets/bit-set.ts';
import { countMembers } from '../../core/sets/row-set.ts';
import { fileType, localeType, roleType, userType } from '../../model/schema/schema.ts';
import type { Collection } from '../../store/collection.ts';
import { type Adjacency, targetsOf } from '../../store/links/adjacency.ts';
import { readText } from '../../store/read-value.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import type { Page } from '../bound.ts';
import type { FacetCounts } from '../run/count-facets.ts';
import type { JsonWriter } from './json-writer.ts';

const openData = Buffer.from('{"data":');
const openMeta = Buffer.from(',"meta":');
const emptyMeta = Buffer.from('{}');
const closeEnvelope = Buffer.from('}');

/** Writes `{"data":…,"meta":…}`. Without `writeMeta` the meta is an empty object. */
export function writeEnvelope(writer: JsonWriter, writeData: () => void, writeMeta?: () => void): void {
  writer.append(openData);
  writeData();
  writer.append(openMeta);
  if (writeMeta) writeMeta();
  else writer.append(emptyMeta);
  writer.append(closeEnvelope);
}

/** Writes a value as the only member of an object, or without a name as it is. */
export function writeMember(writer: JsonWriter, name: string | null, writeValue: () => void): void {
  if (name === null) return writeValue();
  writer.appendTextUncharged(`{"${name}":`);
  writeValue();
  writer.append(closeEnvelope);
}

const urlNotSigned = Buffer.from(',"isUrlSigned":false');
const isDefault = Buffer.from(',"isDefault":true');
const isNotDefault = Buffer.from(',"isDefault":false');

/**
 * Returns the last members of an entry that its row does not hold, for the routes of files, locales and roles: whether
 * a file's URL is signed, whether a locale is the default, and, if `countsUsers`, how many users a role has. Null for
 * other types. Populated entries have none.
 */
export function entrySuffix(
  store: Store,
  { type, links, number }: Collection,
  countsUsers: boolean,
  emitsSignedUrlFlag: boolean,
): ((row: number) => Buffer) | null {
  if (type.uid === fileType) return emitsSignedUrlFlag ? () => urlNotSigned : null;
  if (type.uid === roleType && countsUsers) {
    const users = links.get('users')?.forward;
    const live = users ? segmentOf(store, userType).live : null;
    return (row) => Buffer.from(`,"nb_users":${users ? countLiveLinks(users, row, live) : 0}`);
  }
  if (type.uid !== localeType) return null;
  const segment = store.segments[number];
  return (row) => (readText(segment, row, 'code') === store.defaultLocale ? isDefault : isNotDefault);
}

/** The number of links of a row that lead to `live` rows; null: to any row. */
function countLiveLinks(links: Adjacency, row: number, live: BitSet | null): number {
  const targets = targetsOf(links, row);
  return live ? countMembers(targets, 0, targets.length, live) : targets.length;
}

const start = Buffer.from('"start":');
const limit = Buffer.from(',"limit":');
const page = Buffer.from('"page":');
const pageSize = Buffer.from(',"pageSize":');
const pageCount = Buffer.from(',"pageCount":');
const totals = Buffer.from(',"total":');
const openPagination = Buffer.from('{"pagination":{');
const closePagination = Buffer.from('}}');
const openFacets = Buffer.from('},"facets":');

/** Writes the `meta` of a list. `total` is null if the query does not count; `facets` are by their names. */
export function writePageMeta(
  writer: JsonWriter,
  requested: Page,
  total: number | null,
  facets?: readonly (readonly [string, FacetCounts])[],
): void {
  const isPage = requested.mode === 'page';
  writer.append(openPagination);
  writer.append(isPage ? page : start);
  writer.number(isPage ? Math.floor(requested.start / requested.limit) + 1 : requested.start);
  writer.append(isPage ? pageSize : limit);
  writer.number(requested.limit);
  if (total !== null) {
    if (isPage) {
      writer.append(pageCount);
      writer.number(Math.ceil(total / requested.limit));
    }
    writer.append(totals);
    writer.number(total);
  }
  if (!facets) return writer.append(closePagination);
  writer.append(openFacets);
  const counted = Buffer.from(JSON.stringify(Object.fromEntries(facets)));
  writer.copy(counted, 0, counted.length);
  writer.append(closeEnvelope);
}
