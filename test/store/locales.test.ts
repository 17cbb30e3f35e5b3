import { expect, test } from 'vitest';
import { localeType } from '../../src/model/schema.ts';
import type { Collection } from '../../src/store/collection.ts';
import { localesOf } from '../../src/store/locales.ts';

/** A collection whose column has these distinct texts. */
function collectionOf(uid: string, localized: boolean, attribute: string, texts: readonly string[]): Collection {
  const dictionary = { kind: 'text', size: texts.length, text: (i: number) => texts[i] };
  return { type: { uid, localized }, columns: new Map([[attribute, { dictionary }]]) } as unknown as Collection;
}

test('lists the default locale, those of the settings and those of entries, each once', () => {
  const collections = [
    collectionOf('api::a.a', true, 'locale', ['de', 'fr']),
    collectionOf(localeType, false, 'code', ['en', 'fr', 'it']),
    collectionOf('api::b.b', true, 'locale', ['de', 'pt']),
  ];
  expect([...localesOf(collections, 'en')].sort()).toEqual(['de', 'en', 'fr', 'it', 'pt']);
});

test('ignores types without localizations', () => {
  expect([...localesOf([collectionOf('api::a.a', false, 'locale', ['de'])], 'en')]).toEqual(['en']);
  expect([...localesOf([], 'en')]).toEqual(['en']);
});
