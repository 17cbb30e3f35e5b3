/** A compaction changes no reply, keeps cached ones, and takes in the batches that come meanwhile. */
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Batch } from '../../src/changes/batch/batch.ts';
import { Content } from '../../src/content/content.ts';
import type { CompactionParts } from '../../src/content/versions/compactions.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { hasChanges } from '../../src/store/segment.ts';
import type { Store } from '../../src/store/store.ts';
import { compactHere, HeldCompaction } from '../support/compact-here.ts';
import { thingSnapshot } from '../support/guide.ts';

const thing = 'api::thing.thing';
const entries = Array.from({ length: 20 }, (_, i) => ({ id: i + 1, documentId: `d${i + 1}`, name: `name ${i + 1}` }));
const load = () => loadSnapshot(thingSnapshot({ name: { type: 'string' } }, entries));

// earlier bases are not kept
const settings = readOptions({ public: true, earlierBytes: 0 });
const open = async (compactions: CompactionParts = {}) =>
  new Content(await load(), settings, 0, { compactions: { compact: compactHere, limits: null, ...compactions } });

const batchOf = (id: number, name: string | null): Batch => ({
  entities: [{ type: thing, id, data: name === null ? null : { documentId: `d${id}`, name } }],
  links: [],
});

const nameOf = (content: Content, documentId: string) => content.findOne('things', documentId).data.name;
const answer = async (content: Content, url: string) => content.answer(`/api/things${url}`);

async function seen(content: Content, url: string) {
  const { status, headers, body } = await answer(content, url);
  return { status, headers, body: String(body) };
}

test('replies and their headers stay', async () => {
  const content = await open();
  content.apply(batchOf(20, null));
  content.apply(batchOf(3, null));
  content.apply(batchOf(5, 'changed'));
  const urls = ['?sort=id', '?filters[name][$contains]=name&sort=name:desc', '/d5', '?pagination[start]=4'];
  const before = await Promise.all(urls.map((url) => seen(content, url)));
  await content.compact();
  expect(await Promise.all(urls.map((url) => seen(content, url)))).toEqual(before);
  expect(content.history.compactionFigures).toMatchObject({ counts: { finished: 1, failed: 0 }, failure: null });
});

test('the ids of deleted entries are not given again after a compaction, nor after a second one', async () => {
  const content = await open();
  content.apply(batchOf(20, null));
  await content.compact();
  await content.compact();
  content.apply({ changes: [{ upsert: thing, entry: { documentId: 'new', name: 'new' } }] });
  expect(content.findOne('things', 'new').data.id).toBe(21);
});

test('cached replies stay, unless they depend on rows that have other numbers', async () => {
  const content = await open();
  content.apply(batchOf(20, 'changed'));
  for (let i = 0; i < 3; i++) await answer(content, '/d9');
  const hitsOf = () => content.history.cacheFigures.url!.hits;
  let hits = hitsOf();
  await content.compact();
  await answer(content, '/d9');
  expect(hitsOf()).toBe(hits + 1);
  const kept = (await answer(content, '/d9')).body;
  expect((await answer(content, '/d9')).body).toBe(kept);

  content.apply(batchOf(1, null));
  expect((await answer(content, '/d9')).body).toBe(kept);
  await content.compact();
  hits = hitsOf();
  expect((await answer(content, '/d9')).body).not.toBe(kept);
  expect(String((await answer(content, '/d9')).body)).toBe(String(kept));
  // the row of another entry has the old number now
  content.apply(batchOf(9, 'new'));
  expect(String((await answer(content, '/d9')).body)).toContain('"new"');
});

test('a subscription follows its entry to another row', async () => {
  const content = await open();
  const calls: string[] = [];
  content.subscribe('/api/things/d9', () => calls.push('d9'));
  content.apply(batchOf(1, null));
  await content.compact();
  expect(calls).toEqual([]);
  content.apply(batchOf(10, 'other'));
  expect(calls).toEqual([]);
  content.apply(batchOf(9, 'new'));
  expect(calls).toEqual(['d9']);
});

test('a compaction finds the answer of no subscription again', async () => {
  const content = await open();
  content.subscribe('/api/things/d9', () => {});
  content.apply(batchOf(1, null));
  const { engine } = content.history.active;
  const find = vi.spyOn(Object.getPrototypeOf(engine), 'tagsOfPath');
  await content.compact();
  expect(find).not.toHaveBeenCalled();
  find.mockRestore();
});

test('batches during a compaction are visible at once, and after it', async () => {
  const held = new HeldCompaction();
  const content = await open({ compact: held.compact });
  content.apply(batchOf(2, null));
  held.hold();
  const ended = content.compact();
  expect(content.compact()).toBe(ended);
  content.apply(batchOf(3, 'during'));
  content.apply(batchOf(21, 'added'));
  expect(nameOf(content, 'd3')).toBe('during');
  const before = await seen(content, '?sort=id');
  held.release();
  // one that comes between the batches that are applied again
  await setImmediate();
  content.apply(batchOf(4, 'late'));
  await ended;
  expect(nameOf(content, 'd4')).toBe('late');
  content.apply(batchOf(4, 'name 4'));
  expect((await seen(content, '?sort=id')).body).toBe(before.body);
});

test('a listener gets the content as it was when the compaction began, after it ends', async () => {
  const held = new HeldCompaction();
  const content = await open({ compact: held.compact });
  const compacted: { version: object; digest: string; served: Store }[] = [];
  const end = content.history.served.changes.listenToCompactions(({ version, store }) => {
    compacted.push({ version, digest: store.contentDigest, served: content.history.loaded.store });
    expect(store.segments.some(hasChanges)).toBe(false);
  });
  content.apply(batchOf(2, null));
  const { version } = content.history;
  const { contentDigest: digest } = content.history.loaded.store;
  held.hold();
  const ended = content.compact();
  content.apply(batchOf(3, 'during'));
  held.release();
  expect(compacted).toEqual([]);
  await ended;
  expect(compacted).toEqual([{ version, digest, served: content.history.loaded.store }]);
  expect(version.sequence).toBe(1);
  content.apply(batchOf(4, 'later'));
  held.hold();
  const abandoned = content.compact();
  content.history.replace(await loadSnapshot(thingSnapshot({ name: { type: 'string' } }, entries.slice(1))));
  held.release();
  await abandoned;
  expect(compacted).toHaveLength(1);
  end();
  await content.compact();
  expect(compacted).toHaveLength(1);
});

test('a compaction that fails leaves the content as it is', async () => {
  let fails = true;
  const content = await open({
    compact: async (...input) => {
      if (fails) throw new Error('no memory');
      return compactHere(...input);
    },
  });
  content.apply(batchOf(2, 'changed'));
  await expect(content.compact()).rejects.toThrow('no memory');
  expect(content.history.compactionFigures).toEqual({
    counts: { finished: 0, abandoned: 0, failed: 1 },
    milliseconds: null,
    failure: 'no memory',
  });
  expect(nameOf(content, 'd2')).toBe('changed');
  fails = false;
  await content.compact();
  expect(content.history.compactionFigures).toMatchObject({ counts: { finished: 1, failed: 1 }, failure: null });
});

test('a compaction that a batch starts and that fails is a warning, and is tried again with twice the changes', async () => {
  const warnings: string[] = [];
  const listen = ({ message }: Error) => warnings.push(message);
  process.on('warning', listen);
  const compact = async () => {
    throw new Error('no memory');
  };
  const content = await open({ compact, limits: { rows: 3, bytes: 2 ** 20 } });
  for (let id = 1; id <= 8; id++) {
    content.apply(batchOf(id, 'changed'));
    await setImmediate();
  }
  process.off('warning', listen);
  expect(warnings).toEqual(Array(2).fill('The changes are not compacted: no memory'));
  expect(content.history.compactionFigures.counts.failed).toBe(2);
});

test('a compaction is abandoned when other content is served', async () => {
  const held = new HeldCompaction();
  const content = await open({ compact: held.compact });
  content.apply(batchOf(2, 'changed'));
  held.hold();
  const ended = content.compact();
  content.history.replace(await loadSnapshot(thingSnapshot({ name: { type: 'string' } }, entries.slice(1))));
  held.release();
  await ended;
  expect(content.history.compactionFigures.counts).toEqual({ finished: 0, abandoned: 1, failed: 0 });
  expect(nameOf(content, 'd2')).toBe('name 2');
});

test('the same compaction cannot give other content', async () => {
  const content = await open({ compact: async () => (await load()).store });
  content.apply(batchOf(2, 'changed'));
  await expect(content.compact()).rejects.toThrow(/^after the same batches, the compacted store is \w+, not \w+$/);
  expect(nameOf(content, 'd2')).toBe('changed');
});

test.each([
  ['rows', { rows: 3, bytes: 2 ** 20 }],
  ['bytes', { rows: 1000, bytes: 400 }],
])('a batch starts a compaction when changes have too many %s', async (_, limits) => {
  const content = await open({ limits });
  const finished = () => content.history.compactionFigures.counts.finished;
  for (let id = 1; id <= 3; id++) content.apply(batchOf(id, 'changed'));
  await setImmediate();
  expect(finished()).toBe(0);
  for (let id = 4; id <= 6; id++) content.apply(batchOf(id, 'x'.repeat(100)));
  await expect.poll(finished).toBe(1);
  expect(nameOf(content, 'd6')).toBe('x'.repeat(100));
});

test('a batch starts a compaction when too many rows have other links', async () => {
  const parent = { type: 'relation', relation: 'manyToOne', target: thing };
  const snapshot = thingSnapshot({ name: { type: 'string' }, parent }, entries);
  const compactions = { compact: compactHere, limits: { rows: 3, bytes: 2 ** 20 } };
  const content = new Content(await loadSnapshot(snapshot), settings, 0, { compactions });
  const finished = () => content.history.compactionFigures.counts.finished;
  const linkTo = (id: number, target: number) => {
    const targets = [{ type: thing, id: target, position: 1, inversePosition: 1 }];
    content.apply({ entities: [], links: [{ type: thing, id, attribute: 'parent', targets }] });
  };
  for (let i = 0; i < 9; i++) linkTo(1 + (i % 3), 10 + i);
  await setImmediate();
  expect(finished()).toBe(0);
  linkTo(4, 20);
  await expect.poll(finished).toBe(1);
  expect(content.findOne('things', 'd4', { populate: 'parent' }).data).toMatchObject({ parent: { documentId: 'd20' } });
});

test('stores that were compacted are collected, whatever was asked of them', async () => {
  const stores: WeakRef<object>[] = [];
  const content = await open({
    compact: async (loaded, ...rest) => {
      stores.push(new WeakRef(loaded.store.collections[0]!.columns));
      return compactHere(loaded, ...rest);
    },
  });
  for (let i = 0; i < 10; i++) {
    content.apply(batchOf(2, `changed ${i}`));
    for (const url of ['?sort=name', '?sort=name', '?filters[name][$gt]=b', '?filters[name][$gt]=b', '/d2', '/d2']) {
      expect((await answer(content, url)).status).toBe(200);
    }
    await content.compact();
  }
  for (let i = 0; i < 10; i++) {
    await setImmediate();
    gc!();
  }
  expect(stores.filter((store) => store.deref() !== undefined).length).toBeLessThanOrEqual(1);
});

describe('in a thread', () => {
  // threads run built code only
  const built = (path: string) => import(/* @vite-ignore */ new URL(`../../dist/${path}`, import.meta.url).href);
  let opened: Content;
  beforeAll(async () => {
    const { open } = (await built('index.js')) as typeof import('../../src/index.ts');
    opened = (await open(thingSnapshot({ name: { type: 'string' } }, entries), { public: true })) as unknown as Content;
  });

  test('replies stay, and batches meanwhile are applied', async () => {
    opened.apply(batchOf(2, null));
    opened.apply(batchOf(21, 'added'));
    const before = await seen(opened, '?sort=id');
    const ended = opened.compact();
    opened.apply(batchOf(3, 'during'));
    await ended;
    expect(nameOf(opened, 'd3')).toBe('during');
    opened.apply(batchOf(3, 'name 3'));
    expect((await seen(opened, '?sort=id')).body).toBe(before.body);
    expect(opened.history.compactionFigures.counts).toEqual({ finished: 1, abandoned: 0, failed: 0 });
  });

  test('closing the content ends the thread', async () => {
    const ended = opened.compact();
    await setImmediate();
    await opened.close();
    await ended;
    expect(opened.history.compactionFigures.counts.abandoned).toBe(1);
  });
});
