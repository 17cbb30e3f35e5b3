import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Content } from '../../src/content/content.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { allPermissions } from '../../src/model/access/permissions.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { thingSnapshot } from '../support/guide.ts';
import { usedBytes } from '../support/heap.ts';

const attributes = {
  name: { type: 'string' },
  text: { type: 'text' },
  other: { type: 'relation', relation: 'manyToOne', target: 'api::thing.thing' },
};
const long = (i: number) => `${i} `.repeat(2_000);

/** Asked once and again, so that its query is compiled, and its rows and reply are cached. */
const urls = ['name', 'text', 'id', 'documentId'].flatMap((name) =>
  Array.from(
    { length: 10 },
    (_, i) => `/api/things?sort=${name}&populate=other&fields=${name}&filters[name][$ne]=${i}`,
  ),
);

test('queries that are not asked again do not keep the content of their last use', async () => {
  const entries = Array.from({ length: 40 }, (_, i) => ({
    id: i + 1,
    documentId: `d${i}`,
    name: `n${i}`,
    text: long(i),
  }));
  const loaded = await loadSnapshot(thingSnapshot(attributes, entries));
  const content = new Content(loaded, readOptions({ public: true }), 0, { versionCount: 1 });
  const change = (round: number) => {
    const data = (i: number) => ({ ...entries[i], text: long(round * 100 + i) });
    content.apply({
      entities: entries.map(({ id }, i) => ({ type: 'api::thing.thing', id, data: data(i) })),
      links: [],
    });
  };
  change(0);
  const before = usedBytes();
  for (const [round, url] of urls.entries()) {
    for (let time = 0; time < 2; time++) expect((await content.answer(url)).status).toBe(200);
    change(round + 1);
  }
  // each change brings 400 KB of texts
  expect(usedBytes() - before).toBeLessThan(12e6);
});

test('a replaced engine that still answers does not keep its store', async () => {
  const loaded = await loadSnapshot(thingSnapshot(attributes, [{ id: 1, documentId: 'd', name: 'first' }]));
  const content = new Content(loaded, readOptions({ public: true }), 0, { versionCount: 1 });
  const rename = (name: string) =>
    content.apply({ entities: [{ type: 'api::thing.thing', id: 1, data: { documentId: 'd', name } }], links: [] });
  const caller = { permissions: allPermissions(), role: 'public', userId: null };
  const answerWithReplaced = () => {
    const { engine } = content.history.active;
    engine.answer('things?sort=name', caller, 'flat');
    rename('third');
    expect(engine.answer('things?sort=name', caller, 'flat').body.toString()).toContain('second');
    return new WeakRef(engine.store);
  };
  rename('second');
  const replaced = answerWithReplaced();
  await nextTurn();
  usedBytes();
  expect(replaced.deref() === undefined).toBe(true);
});
