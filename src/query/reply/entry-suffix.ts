import type { BitSet } from '../../core/sets/bit-set.ts';
import { countMembers } from '../../core/sets/row-set.ts';
import { fileType, localeType, roleType, userType } from '../../model/schema/schema.ts';
import type { Collection } from '../../store/collection.ts';
import { type Adjacency, targetsOf } from '../../store/links/adjacency.ts';
import { readText } from '../../store/read-value.ts';
import { type Store, segmentOf } from '../../store/store.ts';

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
