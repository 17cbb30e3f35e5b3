import { fileType, localeType, roleType } from '../model/schema.ts';
import type { Collection } from '../store/collection.ts';
import type { Store } from '../store/store.ts';

const unsigned = Buffer.from(',"isUrlSigned":false');
const isDefault = Buffer.from(',"isDefault":true');
const isNotDefault = Buffer.from(',"isDefault":false');

/**
 * What the routes of files, locales and roles say of an entry besides its attributes: no file's URL is signed here, one
 * locale is the default, and with `countsUsers` each role has so many users. Nothing for other types, and nothing where
 * such an entry is populated.
 */
export function entrySuffix(
  store: Store,
  { type, jsonRows, links }: Collection,
  countsUsers: boolean,
  emitsSignedUrlFlag: boolean,
): ((row: number) => Buffer) | null {
  if (type.uid === fileType) return emitsSignedUrlFlag ? () => unsigned : null;
  if (type.uid === roleType && countsUsers) {
    const users = links.get('users')?.forward.offsets;
    return (row) => Buffer.from(`,"nb_users":${users ? users[row + 1] - users[row] : 0}`);
  }
  if (type.uid !== localeType) return null;
  return (row) => (jsonRows.value(row, 'code') === store.defaultLocale ? isDefault : isNotDefault);
}
