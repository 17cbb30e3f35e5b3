import { expect, test } from 'vitest';
import { Problems } from '../../src/core/problems.ts';
import { BitSet } from '../../src/core/sets/bit-set.ts';
import { iota } from '../../src/core/sets/row-set.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { PublicationFilter } from '../../src/query/bound.ts';
import { affectedRows, publicationRows } from '../../src/query/visible/publication-rows.ts';
import type { Collection } from '../../src/store/collection.ts';
import { batchRowsOf } from '../../src/store/overlay/batch-rows.ts';
import { mergeDeltaInSteps } from '../../src/store/overlay/merge-delta.ts';
import { segmentOf } from '../../src/store/store.ts';
import { CollectionBuilder } from '../../src/store/writer/collection-builder.ts';
import { columnBuilder } from '../../src/store/writer/columns/column-builder.ts';
import { thingSnapshot } from '../support/guide.ts';

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

test('a new version belongs to the document of its draft', async () => {
  const snapshot = thingSnapshot({ name: { type: 'string' } }, [{ id: 1, documentId: 'a', status: 'draft' }]);
  const [contentType] = snapshot.contentTypes as object[];
  const options = { draftAndPublish: true };
  const { store } = await loadSnapshot({ ...snapshot, contentTypes: [{ ...contentType, options }] } as never);
  const segment = segmentOf(store, 'api::thing.thing');
  const builder = new CollectionBuilder(segment.collection.type, new Problems('strict'), {});
  builder.add({ id: 2, documentId: 'a' }, true, '');
  const changed = runAtOnce(mergeDeltaInSteps(segment, batchRowsOf(builder.finish()), []));
  const selected = (filter: PublicationFilter) => [...affectedRows(changed, filter).selected.toArray()];
  expect(selected('published-without-draft')).toEqual([]);
  expect(selected('published-with-draft')).toEqual([1]);
});
