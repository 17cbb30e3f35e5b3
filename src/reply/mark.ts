import { fileType, localeType } from '../schema/schema.ts';
import type { Collection } from '../store/collection.ts';
import type { Store } from '../store/store.ts';

const unsigned = Buffer.from(',"isUrlSigned":false');
const isDefault = Buffer.from(',"isDefault":true');
const isNotDefault = Buffer.from(',"isDefault":false');

/**
 * What the routes of files and locales say of an entry besides its attributes: no file's URL is signed here, and one
 * locale is the default. Nothing for other types, and nothing where such an entry is populated.
 */
export function entryMark(store: Store, { type, slices }: Collection): ((row: number) => Buffer) | null {
  if (type.uid === fileType) return () => unsigned;
  if (type.uid !== localeType) return null;
  return (row) => (slices.value(row, 'code') === store.defaultLocale ? isDefault : isNotDefault);
}
