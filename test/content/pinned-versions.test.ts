/** A content can be held at one of its last versions while changes, compactions and reloads go on. */
import { describe, expect, test } from 'vitest';
import type { Batch } from '../../src/changes/batch/batch.ts';
import { Content } from '../../src/content/content.ts';
import type { OpenOptions, StaleEvent } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { compactHere } from '../support/compact-here.ts';
import { thingSnapshot } from '../support/guide.ts';

const thing = 'api::thing.thing';
const entries = Array.from({ length: 20 }, (_, i) => ({ id: i + 1, documentId: `d${i + 1}`, name: `name ${i + 1}` }));
const load = (kept = entries) => loadSnapshot(thingSnapshot({ name: { type: 'string' } }, kept));

async function openContent(options: OpenOptions = {}): Promise<Content> {
  const settings = readOptions({ public: true, cacheTags: true, ...options });
  return new Content(await load(), settings, 0, { compactions: { compact: compactHere, limits: null } });
}

const named = (id: number, name: string | null): Batch => ({
  entities: [{ type: thing, id, data: name === null ? null : { documentId: `d${id}`, name } }],
  links: [],
});

const urls = ['?sort=id', '?filters[name][$contains]=name&sort=name:desc', '/d5', '?pagination[start]=4&fields=name'];

/** The replies from caches, where these are used. */
async function replies(content: Content): Promise<object[]> {
  const seen: object[] = [];
  for (let time = 0; time < 3; time++) {
    for (const url of urls) {
      const { status, headers, body } = await content.answer(`/api/things${url}`);
      seen.push({ url, status, headers: { ...headers }, body: String(body) });
    }
  }
  return seen;
}

const nameOf = (content: Content, id = 5) => content.findOne('things', `d${id}`).data.name;

const countOf = ({ summary }: Content) => summary.types.find(({ uid }) => uid === thing)!.entries;

/** Opens a content with some versions. */
async function withVersions(count: number, options?: OpenOptions): Promise<{ content: Content; versions: string[] }> {
  const content = await openContent(options);
  const versions = [content.version];
  for (let i = 1; i < count; i++) {
    content.apply(named(5, `change ${i}`));
    versions.push(content.version);
  }
  return { content, versions };
}

describe('the versions', () => {
  test('are the last ten, the latest first, with what each changed', async () => {
    const { content, versions } = await withVersions(11);
    content.apply({ entities: [...named(1, 'one').entities, ...named(2, null).entities], links: [] });
    expect(content.versions.map(({ version }) => version)).toEqual([content.version, ...versions.slice(2).reverse()]);
    expect(content.versions.map(({ changed }) => changed)).toEqual([2, ...Array(9).fill(1)]);
    expect(content.versions.every(({ madeAt }) => Date.now() - Date.parse(madeAt) < 60_000)).toBe(true);
    const { content: fresh } = await withVersions(1);
    expect(fresh.versions).toMatchObject([{ version: fresh.version, changed: null }]);
  });

  test('are kept while what they do not share with the latest one fits', async () => {
    const change = (content: Content, letter: string) => content.apply(named(5, letter.repeat(100_000)));
    const { content: all } = await withVersions(1, { earlierBytes: 2 ** 30 });
    const { content: some } = await withVersions(1, { earlierBytes: 1_000_000 });
    for (const letter of 'abcdefgh') for (const content of [all, some]) change(content, letter);
    expect(all.versions).toHaveLength(9);
    expect(some.versions.length).toBeGreaterThan(1);
    expect(some.versions.length).toBeLessThan(9);
    // the oldest ones go first
    const sequences = some.versions.map(({ version }) => Number(version.split('-')[1]));
    expect(sequences).toEqual(sequences.map((_, i) => 8 - i));
    const { content: none } = await withVersions(3, { earlierBytes: 0 });
    expect(none.versions).toMatchObject([{ version: none.version }]);
    expect(some.history.earlierBytes).toBeGreaterThan(100_000);
    expect(some.history.earlierBytes).toBeLessThanOrEqual(1_000_000);
    expect(none.history.earlierBytes).toBe(0);
  });

  test('from before a reload or a compaction are kept while their bases fit', async () => {
    const { content, versions } = await withVersions(3);
    const base = content.history.storeBytes;
    expect(content.history.earlierBytes).toBeLessThan(base);
    await content.compact();
    expect(content.history.earlierBytes).toBeGreaterThan(base);
    expect(content.versions.map(({ version }) => version)).toEqual([...versions].reverse());
    content.history.replace(await load(entries.slice(1)));
    expect(content.versions).toHaveLength(4);
    const { content: small } = await withVersions(3, { earlierBytes: 0 });
    await small.compact();
    expect(small.versions).toMatchObject([{ version: small.version, changed: 1 }]);
    small.history.replace(await load(entries.slice(1)));
    expect(small.versions).toMatchObject([{ version: small.version, changed: null }]);
    // of two earlier bases, the older one goes first
    const bytes = content.history.storeBytes;
    const { content: both, versions: earlier } = await withVersions(2, { earlierBytes: 2 * bytes - 1 });
    await both.compact();
    both.apply(named(6, 'six'));
    const last = both.version;
    both.history.replace(await load(entries.slice(1)));
    expect(both.versions.map(({ version }) => version)).toEqual([both.version, last, earlier[1]]);
  });
});

test('a base is released when no version needs it, and after a pin that held it', async () => {
  const released: number[] = [];
  const parts = {
    compactions: { compact: compactHere, limits: null },
    onReleased: (bytes: number) => released.push(bytes),
  };
  const content = new Content(await load(), readOptions({ public: true, earlierBytes: 0 }), 0, parts);
  const bytes = content.history.storeBytes;
  content.pin(content.version);
  content.apply(named(5, 'changed'));
  content.apply(named(5, 'changed again'));
  expect(released).toEqual([]);
  await content.compact();
  expect(released).toEqual([bytes]);
  expect(nameOf(content)).toBe('name 5');
  content.unpin();
  expect(released).toEqual([bytes, bytes]);
  const compacted = content.history.storeBytes;
  content.history.replace(await load(entries.slice(1)));
  expect(released).toEqual([bytes, bytes, compacted]);
});

describe('a pinned version', () => {
  test('is served as it was, with its headers, whatever is changed, and the latest one afterwards', async () => {
    const { content, versions } = await withVersions(3);
    const before = await replies(content);
    content.apply(named(6, 'nonsense'));
    content.apply(named(7, null));
    content.pin(versions[2]);
    expect(content.version).toBe(versions[2]);
    expect(content.pinned).toEqual({ version: versions[2], since: expect.any(String) });
    expect(await replies(content)).toEqual(before);
    content.apply(named(5, 'mended'));
    await content.compact();
    content.apply(named(8, 'eight'));
    expect(await replies(content)).toEqual(before);
    content.history.replace(await load(entries.slice(2)));
    content.apply(named(9, 'nine'));
    expect(await replies(content)).toEqual(before);
    expect(countOf(content)).toBe(20);
    content.unpin();
    expect(content.pinned).toBeNull();
    expect([nameOf(content, 9), countOf(content)]).toEqual(['nine', 18]);
    expect(content.version).toBe(content.versions[0].version);
  });

  test('stays, however many versions follow, and another one can be pinned in its place', async () => {
    const { content, versions } = await withVersions(2);
    content.pin(versions[0]);
    for (let i = 0; i < 12; i++) content.apply(named(5, `later ${i}`));
    expect(nameOf(content)).toBe('name 5');
    content.pin(content.versions[1].version);
    expect(nameOf(content)).toBe('later 10');
    expect(() => content.pin(versions[0])).toThrow(
      /^The version "\d+-0" is not kept\. Serving can be pinned to \d+-13, /,
    );
    expect(nameOf(content)).toBe('later 10');
    content.unpin();
    content.unpin();
    expect(nameOf(content)).toBe('later 11');
  });

  test('has caches of its own, and the latest version has none meanwhile', async () => {
    const { content, versions } = await withVersions(2);
    await replies(content);
    expect(content.history.cacheFigures.url.bytes).toBeGreaterThan(0);
    content.pin(versions[0]);
    const { latest } = content.history;
    expect(latest.engine.cacheFigures.url.bytes).toBe(0);
    await replies(content);
    expect(content.history.cacheFigures.url.hits).toBeGreaterThan(0);
    content.history.served.takeShare(0);
    expect(content.history.cacheFigures.url.bytes).toBe(0);
    content.history.served.takeShare(1);
    content.unpin();
    await replies(content);
    expect(latest.engine.cacheFigures.url.hits).toBeGreaterThan(0);
  });
});

describe('listeners', () => {
  test('learn that everything may differ when another version is served, and nothing of changes meanwhile', async () => {
    const { content, versions } = await withVersions(3);
    const events: StaleEvent[] = [];
    const seen: string[] = [];
    content.onStale((event) => events.push(event));
    content.subscribe('/api/things/d5', () => seen.push(nameOf(content)));
    content.pin(versions[1]);
    content.pin(versions[1]);
    content.apply(named(5, 'hidden'));
    content.history.replace(await load(entries.slice(1)));
    await content.compact();
    content.unpin();
    expect(events).toEqual([
      { version: versions[1], tags: null },
      { version: content.version, tags: null },
    ]);
    expect(seen).toEqual(['change 1', 'name 5']);
    content.apply(named(5, 'visible'));
    expect(seen).toEqual(['change 1', 'name 5', 'visible']);
  });

  test('follow an entry to another row if the version that is pinned was the latest, and is compacted', async () => {
    const { content } = await withVersions(2);
    content.apply(named(1, null));
    let calls = 0;
    content.subscribe('/api/things/d9', () => calls++);
    content.pin(content.version);
    await content.compact();
    content.unpin();
    content.apply(named(10, 'other'));
    expect(calls).toBe(0);
    content.apply(named(9, 'new'));
    expect(calls).toBe(1);
  });

  test('learn nothing of a pin that changes no reply', async () => {
    const { content } = await withVersions(2);
    const events: StaleEvent[] = [];
    content.onStale((event) => events.push(event));
    content.pin(content.version);
    expect(content.pinned).not.toBeNull();
    content.unpin();
    expect(events).toEqual([]);
  });
});
