import { expect, test } from 'vitest';
import { localeType } from '../../src/model/schema/schema.ts';
import { localesOf } from '../../src/store/locales.ts';
import type { Segment } from '../../src/store/segment.ts';

/** A segment of one row for each of these texts. */
function segmentOf(uid: string, localized: boolean, attribute: string, texts: readonly string[], dead: number[] = []) {
  const dictionary = { kind: 'text', size: texts.length, text: (i: number) => texts[i] };
  const codes = texts.map((_, i) => i + 1);
  const column = { codes, dictionary, index: { offsets: [0, ...texts.map((_, i) => i), texts.length] } };
  const collection = { type: { uid, localized }, columns: new Map([[attribute, column]]) };
  return { collection, delta: null, dead: Uint32Array.from(dead) } as unknown as Segment;
}

test('lists the default locale, those of the settings and those of live entries, each once', () => {
  const segments = [
    segmentOf('api::a.a', true, 'locale', ['de', 'fr', 'nl'], [2]),
    segmentOf(localeType, false, 'code', ['en', 'fr', 'it']),
    segmentOf('api::b.b', true, 'locale', ['de', 'pt']),
  ];
  expect([...localesOf(segments, 'en')].sort()).toEqual(['de', 'en', 'fr', 'it', 'pt']);
});

test('ignores types without localizations', () => {
  expect([...localesOf([segmentOf('api::a.a', false, 'locale', ['de'])], 'en')]).toEqual(['en']);
  expect([...localesOf([], 'en')]).toEqual(['en']);
});
