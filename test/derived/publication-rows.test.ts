import { expect, test } from 'vitest';
import { columnBuilder } from '../../src/build/column-builder.ts';
import { publicationRows } from '../../src/derived/publication-rows.ts';
import type { PublicationFilter } from '../../src/model/publication-filters.ts';
import { BitSet } from '../../src/sets/bit-set.ts';
import { iota } from '../../src/sets/row-set.ts';
import type { Collection } from '../../src/store/collection.ts';

test.each<[PublicationFilter, number[]]>([
  ['published-without-draft', [0]],
  ['never-published', [1]],
  ['has-published-version', [2, 3]],
])('each row without a documentId is a document of its own: %s', (filter, expected) => {
  const documents = columnBuilder('string');
  for (const document of [undefined, undefined, 'a', 'a']) documents.push(document);
  const published = new BitSet(4);
  for (const row of [0, 2]) published.add(row);
  const columns = new Map([['documentId', documents.finish(iota(4))]]);
  const collection = { rowCount: 4, columns, published } as unknown as Collection;
  expect([...publicationRows(collection, filter).toArray()]).toEqual(expected);
});
