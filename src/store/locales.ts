import { localeType } from '../model/schema.ts';
import type { Column } from './column.ts';
import type { Store } from './store.ts';

/** Returns every locale of the content: the default, those of the settings, and those of the entries. */
export function localesOf({ byUid, collections, defaultLocale }: Omit<Store, 'locales' | 'schemaKey'>): Set<string> {
  const entries = collections.filter(({ type }) => type.localized).map(({ columns }) => columns.get('locale'));
  const columns = [byUid.get(localeType)?.columns.get('code'), ...entries];
  return new Set([defaultLocale, ...columns.flatMap(textsOf)]);
}

function textsOf(column: Column | undefined): string[] {
  const dictionary = column?.dictionary;
  if (dictionary?.kind !== 'text') return [];
  return Array.from({ length: dictionary.size }, (_, i) => dictionary.text(i));
}
