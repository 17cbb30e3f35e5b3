import { localeType } from '../model/schema.ts';
import type { Collection } from './collection.ts';
import type { Column } from './column.ts';

/** Returns every locale of the content: the default, those of the settings, and those of the entries. */
export function localesOf(collections: readonly Collection[], defaultLocale: string): Set<string> {
  const settings = collections.find(({ type }) => type.uid === localeType)?.columns.get('code');
  const entries = collections.filter(({ type }) => type.localized).map(({ columns }) => columns.get('locale'));
  return new Set([defaultLocale, ...[settings, ...entries].flatMap(textsOf)]);
}

function textsOf(column: Column | undefined): string[] {
  const dictionary = column?.dictionary;
  if (dictionary?.kind !== 'text') return [];
  return Array.from({ length: dictionary.size }, (_, i) => dictionary.text(i));
}
