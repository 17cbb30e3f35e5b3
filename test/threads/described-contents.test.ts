// A thread that answers requests has the contents that the coordinating thread describes to it.
import { expect, test } from 'vitest';
import { changedNames } from '../../src/changes/batch/changed-names.ts';
import { Content } from '../../src/content/content.ts';
import { type Contents, createEntry } from '../../src/content/registry/contents.ts';
import type { MadeChange } from '../../src/content/versions/prepared-change.ts';
import { sharedAllocator } from '../../src/core/memory/allocator.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { attachSnapshot, type DescribedSnapshot, describeSnapshot } from '../../src/load/thread/described-snapshot.ts';
import { configSchema } from '../../src/model/settings/config.ts';
import { DescribedContents } from '../../src/server/threads/described-contents.ts';
import type { DescribedEntry, EntryChange } from '../../src/server/threads/messages.ts';
import { prepareDigests } from '../../src/store/writer/rows/row-digest.ts';
import { article, files, load, roleUid, users } from '../changes/content.ts';
import { apiToken, secrets } from '../support/api-tokens.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { makeChange } from '../support/made-change.ts';

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
  const apply = (name: string, made: MadeChange) => change({ kind: 'apply', name, change: made });
  const rebase = (name: string, snapshot: DescribedSnapshot, version: string) =>
    change({ kind: 'rebase', name, store: snapshot.content, version });
  return { served, set, apply, rebase, remove: (name: string) => change({ kind: 'delete', name }), answer };
}

test('gives the content of a known entry another snapshot, and keeps its store for an equal one', async () => {
  const { served, set, answer } = followed();
  const entry = await entryOf('main', 'Before');
  await set(entry);
  const { content } = served[0].first;
  await set({ ...entry, snapshot: await describedAs('After') });
  expect(await answer('main')).toBe('After');
  await answer('main');
  const { hits } = content!.history.cacheFigures.url;
  await set({ ...entry, snapshot: await describedAs('After') });
  await answer('main');
  expect(served[0].first.content).toBe(content);
  expect(content!.history.cacheFigures.url.hits).toBe(hits + 1);
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

test('the other threads see when a request last chose a content', async () => {
  const { served, set } = followed();
  const entry = await entryOf('main', 'Main');
  await set(entry);
  served[0].first.lastUse[0] = 1000;
  expect(entry.lastUse[0]).toBe(1000);
});

/** Returns the change that gives the thing of an entry another title. */
async function madeOf({ snapshot }: DescribedEntry, title: string): Promise<MadeChange> {
  await prepareDigests();
  const entity = { type: 'api::thing.thing', id: 1, data: { documentId: 'one', title } };
  return makeChange(new Content(attachSnapshot(snapshot!), config, 0), { entities: [entity], links: [] });
}

test('knows the names of uploaded files that changes have added', async () => {
  const { served, set } = followed();
  const entry = await entryOf('main', 'Main');
  const names = changedNames(new Set(['a.png', 'b.png']), { removed: ['a.png'], added: ['c.png'] });
  const uploadedFiles = { kind: 'folder', path: '/uploads', names } as const;
  const loaded = { ...attachSnapshot(entry.snapshot!), uploadedFiles };
  await set({ ...entry, snapshot: describeSnapshot(loaded) });
  expect(served[0].first.content!.history.loaded.uploadedFiles).toMatchObject({ names: new Set(['b.png', 'c.png']) });
});

test('does not serve a compacted store with other content', async () => {
  const { set, rebase, answer } = followed();
  const entry = await entryOf('main', 'Main');
  await set({ ...entry, snapshot: { ...entry.snapshot!, version: { epoch: 5, sequence: 0 } } });
  await expect(rebase('main', await describedAs('Other'), '5-0')).rejects.toThrow('the compacted store is');
  expect(await answer('main')).toBe('Main');
});

test('keeps its store when it is sent its version again, and serves exactly the version that it is sent otherwise', async () => {
  const { served, set, apply, answer } = followed();
  const entry = await entryOf('main', 'Main');
  const atEpoch = (epoch: number) => ({ ...entry, snapshot: { ...entry.snapshot!, version: { epoch, sequence: 0 } } });
  await set(atEpoch(5));
  await apply('main', await madeOf(atEpoch(5), 'One'));
  const { history } = served[0].first.content!;
  const { store } = history.loaded;
  await set({ ...entry, snapshot: describeSnapshot(history.loaded) });
  expect([await answer('main'), served[0].first.content!.version]).toEqual(['One', '5-1']);
  expect(history.loaded.store).toBe(store);
  await set(atEpoch(5));
  expect([await answer('main'), served[0].first.content!.version]).toEqual(['Main', '5-0']);
  await set(atEpoch(6));
  expect([await answer('main'), served[0].first.content!.version]).toEqual(['Main', '6-0']);
  await set(atEpoch(7));
  expect(served[0].first.content!.version).toBe('7-0');
});

test('makes no change to another content or another version than the thread that made it', async () => {
  const { set, apply, answer } = followed();
  const atEpoch = async (epoch: number, title: string): Promise<DescribedEntry> => {
    const entry = await entryOf('main', title);
    return { ...entry, snapshot: { ...entry.snapshot!, version: { epoch, sequence: 0 } } };
  };
  await set(await atEpoch(5, 'Main'));
  for (const [epoch, title, leads] of [
    [6, 'Main', '6-1'],
    [5, 'Other', '5-1'],
  ] as const) {
    const made = await madeOf(await atEpoch(epoch, title), 'One');
    await expect(apply('main', made)).rejects.toThrow(`a change leads to ${leads} from the content`);
    expect(await answer('main')).toBe('Main');
  }
});

test('takes over the roles, blocked users and names of files of a change', async () => {
  const { served, set, apply } = followed();
  await prepareDigests();
  const names = new Set(['cover_1.png']);
  const snapshot = describeSnapshot({ ...(await load()), uploadedFiles: { kind: 'folder', path: '/uploads', names } });
  const entry = await entryOf('main', null, { snapshot: { ...snapshot, version: { epoch: 5, sequence: 0 } } });
  await set(entry);
  const main = new Content(attachSnapshot(entry.snapshot!), config, 0);
  const file = { documentId: 'new', name: 'new', hash: 'new_2', ext: '.png', url: '/uploads/new_2.png' };
  const role = { documentId: 'public', type: 'public', name: 'Public', permissions: [`${article}.find`] };
  const entities = [
    { type: users, id: 2, data: { documentId: 'u2', username: 'ulf', blocked: true } },
    { type: files, id: 2, data: file },
    { type: roleUid, id: 1, data: role },
  ];
  await apply('main', makeChange(main, { entities, links: [] }));
  const accessOf = ({ history: { loaded } }: Content) => {
    const { roles, blockedUsers, uploadedFiles } = loaded;
    return { roles, blocked: [...blockedUsers], files: [...uploadedFiles!.names!] };
  };
  expect(accessOf(served[0].first.content!)).toEqual(accessOf(main));
  expect(accessOf(main)).toMatchObject({ blocked: ['u1', 'u2'], files: ['cover_1.png', 'new_2.png'] });
  expect(main.history.loaded.roles[0].permissions).toEqual([`${article}.find`]);
});
