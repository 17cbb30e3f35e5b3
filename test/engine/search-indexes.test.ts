// A trigram index is built when texts are first searched, within `searchBytes`.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SearchIndexes } from '../../src/query/visible/search-indexes.ts';
import type { TextSearch } from '../../src/store/texts/text-search.ts';
import { columnBuilder } from '../../src/store/writer/columns/column-builder.ts';
import { searchOf } from '../../src/store/writer/text/index-texts.ts';

/** The search of texts that together take some 60 KB. */
function searchedTexts(): TextSearch {
  const builder = columnBuilder('string');
  const count = 2000;
  for (let i = 0; i < count; i++) builder.push(`text ${i} of the harbour and its ${i * 7} lights`);
  return searchOf(builder.finish(Uint32Array.from({ length: count }, (_, i) => i)))!;
}

async function turns(until: () => boolean): Promise<void> {
  for (let i = 0; i < 10_000 && !until(); i++) await nextTurn();
}

test('the first search starts an index, which is built between other work', async () => {
  const indexes = new SearchIndexes(2 ** 20);
  const search = searchedTexts();
  indexes.use(search);
  expect(search.trigrams).toBeNull();
  await turns(() => search.trigrams !== null);
  expect(search.trigrams).not.toBeNull();
  expect(indexes.statistics.bytes).toBeGreaterThan(10_000);
});

test('without a turn of the event loop, the ninth search builds the index', () => {
  const indexes = new SearchIndexes(2 ** 20);
  const search = searchedTexts();
  for (let i = 0; i < 8; i++) indexes.use(search);
  expect(search.trigrams).toBeNull();
  indexes.use(search);
  expect(search.trigrams).not.toBeNull();
});

test('an index for which there is no room is built once and not kept', async () => {
  const indexes = new SearchIndexes(1000);
  const search = searchedTexts();
  for (let i = 0; i < 20; i++) indexes.use(search);
  await turns(() => false);
  expect(search.trigrams).toBeNull();
  expect(indexes.statistics.bytes).toBe(0);
});

test('a lower limit gives the indexes up, and a higher one lets them be built again', () => {
  const indexes = new SearchIndexes(2 ** 20);
  const search = searchedTexts();
  for (let i = 0; i < 9; i++) indexes.use(search);
  indexes.limit(0);
  expect(search.trigrams).toBeNull();
  expect(indexes.statistics.bytes).toBe(0);
  for (let i = 0; i < 20; i++) indexes.use(search);
  expect(search.trigrams).toBeNull();
  indexes.limit(2 ** 20);
  for (let i = 0; i < 9; i++) indexes.use(search);
  expect(search.trigrams).not.toBeNull();
});

test('memory that is given up while an index is built gets none', async () => {
  const indexes = new SearchIndexes(2 ** 20);
  const search = searchedTexts();
  indexes.use(search);
  indexes.forget();
  await turns(() => search.trigrams !== null);
  expect(search.trigrams).toBeNull();
});
