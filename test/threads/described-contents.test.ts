// A thread that answers requests has the contents that the coordinating thread describes to it.
import { expect, test } from 'vitest';
import type { Batch } from '../../src/changes/batch/batch.ts';
import { changedNames } from '../../src/changes/batch/changed-names.ts';
import { Content } from '../../src/content/content.ts';
import { type Contents, createEntry } from '../../src/content/registry/contents.ts';
import type { PutContent } from '../../src/content/registry/put-content.ts';
import { sharedAllocator } from '../../src/core/memory/allocator.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { attachSnapshot, type DescribedSnapshot, describeSnapshot } from '../../src/load/thread/described-snapshot.ts';
import { configSchema } from '../../src/model/settings/config.ts';
import { DescribedContents } from '../../src/server/threads/described-contents.ts';
import type { DescribedEntry, EntryChange } from '../../src/server/threads/messages.ts';
import { hasChanges } from '../../src/store/segment.ts';
import { prepareDigests } from '../../src/store/writer/rows/row-digest.ts';
import { apiToken, secrets } from '../support/api-tokens.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';

const config = configSchema.parse({
  public: true,
  contents: { domain: 'preview.example.org' },
  tokens: [{ name: 'site', sha256: sha256('site'), type: 'read-only' }],
});

async function describedAs(title: string) {
  const snapshot = thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'one', title }]);
  return describeSnapshot(await loadSnapshot(snapshot, { allocator: sharedAllocator }));
}

async function entryOf(
  name: string,
  title: string | null,
  parts: Partial<DescribedEntry> = {},
): Promise<DescribedEntry> {
  const error = title === null ? 'is broken' : null;
  const { content, ...entry } = createEntry({ name, content: null, error, put: null });
  return { ...entry, snapshot: title === null ? null : await describedAs(title), pinned: null, ...parts };
}

function putOf(name: string): PutContent {
  const tokens = [{ name: 'preview', sha256: sha256('preview'), type: 'read-only' as const, permissions: [] }];
  return { name, snapshot: 'x', isUploaded: true, tokens, putAt: '2026-01-01T00:00:00Z', expires: null };
}

/** The contents of a thread, and what it serves. */
function followed() {
  const served: Contents[] = [];
  const unpack = () => {
    throw new Error('there are no archives');
  };
  const described = new DescribedContents({ config, unpack, serve: (contents) => void served.push(contents) });
  const set = (...entries: DescribedEntry[]) => change(...entries.map((entry) => ({ kind: 'set', entry }) as const));
  // messages are cloned, but not their shared memory
  const change = (...changes: EntryChange[]) => described.change(structuredClone(changes));
  const answer = async (name: string, token?: string) => {
    const authorization = token && `Bearer ${token}`;
    const reply = await served[0].get(name)!.content!.answer('/api/things/one', { authorization });
    return reply.status === 200 ? JSON.parse(reply.body.toString()).data.title : reply.status;
  };
  const apply = (name: string, batch: Batch, version: string) => change({ kind: 'apply', name, batch, version });
  const rebase = (name: string, snapshot: DescribedSnapshot, version: string) =>
    change({ kind: 'rebase', name, store: snapshot.content, version });
  return { served, set, apply, rebase, remove: (name: string) => change({ kind: 'delete', name }), answer };
}

test('serves all contents of the first message at once, the first of them for requests that name none', async () => {
  const { served, set, answer } = followed();
  await set(await entryOf('main', 'Main'), await entryOf('pr-1', 'One', { put: putOf('pr-1') }));
  expect(served).toHaveLength(1);
  expect(served[0].choose('pr-1.example.org', '/api').entry.name).toBe('main');
  expect(served[0].choose('pr-1.preview.example.org', '/api').entry.name).toBe('pr-1');
  expect([await answer('main'), await answer('pr-1', 'preview')]).toEqual(['Main', 'One']);
});

test('gives the content of a known entry another snapshot, and keeps its store for an equal one', async () => {
  const { served, set, answer } = followed();
  const entry = await entryOf('main', 'Before');
  await set(entry);
  const { content } = served[0].first;
  await set({ ...entry, snapshot: await describedAs('After') });
  expect(await answer('main')).toBe('After');
  await answer('main');
  const { hits } = content!.served.cacheFigures.url;
  await set({ ...entry, snapshot: await describedAs('After') });
  await answer('main');
  expect(served[0].first.content).toBe(content);
  expect(content!.served.cacheFigures.url.hits).toBe(hits + 1);
});

test('identifies callers of a known entry by the tokens of the same version that come later', async () => {
  const { served, set } = followed();
  const loaded = await loadSnapshot(thingSnapshot({}, [{ documentId: 'one' }]), { allocator: sharedAllocator });
  const version = { epoch: 5, sequence: 0 };
  const describeWith = (name: string) => describeSnapshot({ ...loaded, version, apiTokens: [apiToken(name)], secrets });
  const entry = await entryOf('main', null, { snapshot: describeWith('first') });
  const statuses = () =>
    Promise.all(
      ['first', 'second'].map(async (token) => {
        const { status } = await served[0].first.content!.answer('/api/things', { authorization: `Bearer ${token}` });
        return status;
      }),
    );
  await set(entry);
  expect(await statuses()).toEqual([200, 401]);
  await set({ ...entry, snapshot: describeWith('second') });
  expect(await statuses()).toEqual([401, 200]);
});

test('opens a new content for a new entry of a known name, with the tokens of the entry', async () => {
  const { served, set, answer } = followed();
  await set(await entryOf('main', 'Main'), await entryOf('pr-1', 'One'));
  const earlier = served[0].get('pr-1');
  expect([await answer('pr-1', 'site'), await answer('pr-1', 'preview')]).toEqual(['One', 401]);
  await set(await entryOf('pr-1', 'Two', { put: putOf('pr-1') }));
  expect(served[0].get('pr-1')!.content).not.toBe(earlier!.content);
  expect([await answer('pr-1', 'site'), await answer('pr-1', 'preview')]).toEqual([401, 'Two']);
});

test('makes changes in their order', async () => {
  const { served, set, remove, answer } = followed();
  await set(await entryOf('main', 'Main'));
  const [one, two] = [await entryOf('pr-1', 'One'), await entryOf('pr-1', 'Two')];
  await Promise.all([set(one), remove('pr-1'), set(two), remove('pr-2'), set({ ...two, snapshot: one.snapshot })]);
  expect(served[0].all.map(({ name }) => name)).toEqual(['main', 'pr-1']);
  expect(await answer('pr-1')).toBe('One');
  await remove('pr-1');
  expect(served[0].get('pr-1')).toBeUndefined();
});

test('keeps the name of a content that could not be loaded', async () => {
  const { served, set, answer } = followed();
  await set(await entryOf('main', 'Main'), await entryOf('pr-1', null));
  expect(served[0].get('pr-1')).toMatchObject({ content: null, error: 'is broken' });
  await set(await entryOf('pr-1', 'One'));
  expect(await answer('pr-1')).toBe('One');
});

test('the other threads see when a request last chose a content', async () => {
  const { served, set } = followed();
  const entry = await entryOf('main', 'Main');
  await set(entry);
  served[0].first.lastUse[0] = 1000;
  expect(entry.lastUse[0]).toBe(1000);
});

/** Gives the thing another title. */
const batchOf = (title: string): Batch => ({
  entities: [{ type: 'api::thing.thing', id: 1, data: { documentId: 'one', title } }],
  links: [],
});

/** A snapshot with the changes of batches. */
async function changedBy(snapshot: DescribedSnapshot, ...batches: Batch[]): Promise<DescribedSnapshot> {
  await prepareDigests();
  const content = new Content(attachSnapshot(snapshot), config, 0);
  for (const batch of batches) content.apply(batch);
  const { loaded, version } = content.served;
  return describeSnapshot({ ...loaded, version });
}

test('begins with the changes since the base, and applies further ones', async () => {
  const { served, set, apply, answer } = followed();
  const entry = await entryOf('main', 'Main');
  const base = { ...entry.snapshot!, version: { epoch: 5, sequence: 7 } };
  await set({ ...entry, snapshot: await changedBy(base, batchOf('One'), batchOf('Two')) });
  expect([await answer('main'), served[0].first.content!.version]).toEqual(['Two', '5-9']);
  await apply('main', batchOf('Three'), '5-10');
  expect(await answer('main')).toBe('Three');
});

test('knows the names of uploaded files that changes have added', async () => {
  const { served, set } = followed();
  const entry = await entryOf('main', 'Main');
  const names = changedNames(new Set(['a.png', 'b.png']), ['a.png'], ['c.png']);
  const uploadedFiles = { kind: 'folder', path: '/uploads', names } as const;
  const loaded = { ...attachSnapshot(entry.snapshot!), uploadedFiles };
  await set({ ...entry, snapshot: describeSnapshot(loaded) });
  expect(served[0].first.content!.served.loaded.uploadedFiles).toMatchObject({ names: new Set(['b.png', 'c.png']) });
});

test('serves a compacted store of the same version, and no other', async () => {
  const { served, set, apply, rebase, answer } = followed();
  const entry = await entryOf('main', 'Main');
  const base = { ...entry.snapshot!, version: { epoch: 5, sequence: 0 } };
  await set({ ...entry, snapshot: base });
  await apply('main', batchOf('One'), '5-1');
  const { content } = served[0].first;
  await rebase('main', await describedAs('One'), '5-1');
  expect([await answer('main'), content!.version]).toEqual(['One', '5-1']);
  expect(content!.served.loaded.store.segments.some(hasChanges)).toBe(false);
  await apply('main', batchOf('Two'), '5-2');
  expect(await answer('main')).toBe('Two');
  await rebase('main', await changedBy(await describedAs('One'), batchOf('Two')), '5-2');
  expect(await answer('main')).toBe('Two');
  await expect(rebase('main', await describedAs('Two'), '5-3')).rejects.toThrow('main is at 5-2, expected 5-3');
});

test('does not serve a compacted store with other content', async () => {
  const { set, rebase, answer } = followed();
  const entry = await entryOf('main', 'Main');
  await set({ ...entry, snapshot: { ...entry.snapshot!, version: { epoch: 5, sequence: 0 } } });
  await expect(rebase('main', await describedAs('Other'), '5-0')).rejects.toThrow('the compacted store is');
  expect(await answer('main')).toBe('Main');
});

test('keeps its changes when it is sent the snapshot of its epoch again, and not those of another epoch', async () => {
  const { served, set, apply, answer } = followed();
  const entry = await entryOf('main', 'Main');
  const atEpoch = (epoch: number) => ({ ...entry, snapshot: { ...entry.snapshot!, version: { epoch, sequence: 0 } } });
  await set(atEpoch(5));
  await apply('main', batchOf('One'), '5-1');
  await set(atEpoch(5));
  expect([await answer('main'), served[0].first.content!.version]).toEqual(['One', '5-1']);
  await set(atEpoch(6));
  expect([await answer('main'), served[0].first.content!.version]).toEqual(['Main', '6-0']);
  await set(atEpoch(7));
  expect(served[0].first.content!.version).toBe('7-0');
});

test('fails if a batch is wrong or leads to another version than in the other threads', async () => {
  for (const [batch, version, message] of [
    [batchOf('One'), '5-2', 'main is at 5-1, expected 5-2'],
    [{ entities: [{ type: 'none', id: 1, data: null }], links: [] }, '5-1', 'the batch has 1 problem'],
  ] as const) {
    const { set, apply } = followed();
    const entry = await entryOf('main', 'Main');
    await set({ ...entry, snapshot: { ...entry.snapshot!, version: { epoch: 5, sequence: 0 } } });
    await expect(apply('main', batch, version)).rejects.toThrow(message);
  }
});
