import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ContentsFolder } from '../../src/content/registry/contents-folder.ts';
import { shownStoreInSteps } from '../../src/content/versions/version.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { StaticHeaders } from '../../src/server/requests/static-headers.ts';
import { compactHere } from '../support/compact-here.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256 } from '../support/guide.ts';
import { askServer, type HttpAnswer } from '../support/http.ts';
import { loadShared } from '../support/open-shared.ts';
import { waitFor, waitUntil } from '../support/wait.ts';
import { folderOfSnapshots, type RunningOptions, startContents, stopAll, titled } from './running-contents.ts';

/** Previews: contents that are another one with changes of their own. */

afterEach(stopAll);

const thing = 'api::thing.thing';
const upsert = (documentId: string, title: unknown) => ({ upsert: thing, entry: { documentId, title } });
const removal = (documentId: string) => ({ delete: thing, documentId });
const admin = { tokens: [{ name: 'ci', sha256: sha256('admin'), rights: ['contents', 'changes'] }] };

async function start(options: RunningOptions = {}) {
  const running = await startContents({ ...options, settings: { admin, ...options.settings } });
  const { port, adminPort, put } = running;
  const change = (content: string, body: unknown, headers: Record<string, string> = {}): Promise<HttpAnswer> =>
    askServer(adminPort, `/_changes?content=${content}`, {
      method: 'POST',
      headers: { Authorization: 'Bearer admin', 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const titles = async (path: string, token?: string): Promise<string[] | number> => {
    const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const answer = await askServer(port, `${path}/api/things?sort=title`, { headers });
    return answer.status === 200 ? answer.json().data.map(({ title }: { title: string }) => title) : answer.status;
  };
  return {
    ...running,
    change,
    titles,
    /** Puts a preview of `main`. Fails if that is refused. */
    putPreview: async (changes: unknown[], options: object = {}, name = 'pr') => {
      const { status, json } = await put(name, { body: { base: 'main', changes, ...options } });
      expect(json().error).toBe(null);
      return status;
    },
    versionOf: async (path: string) => (await askServer(port, `${path}/api/things`)).headers['x-lectern-version'],
    factsOf: async (name: string) => (await running.list()).find((each) => each.name === name)!,
  };
}

const messageOf = ({ status, json }: HttpAnswer) => [status, json().error.message];

test('a reply to a waiting request that fails is a 500, and later ones are answered', async () => {
  const { port, putPreview, titles, lines } = await start();
  await putPreview([upsert('two', 'new')]);
  vi.spyOn(StaticHeaders.prototype, 'of').mockImplementationOnce(() => {
    throw new Error('no headers');
  });
  expect((await askServer(port, '/pr/api/things')).status).toBe(500);
  expect(lines.at(-1)).toMatchObject({ msg: 'failed', err: { message: 'no headers' } });
  expect(await titles('/pr')).toEqual(['main', 'new']);
});

describe('a preview', () => {
  test('shows the base with its own changes, and the base stays as it is', async () => {
    const { put, titles, list } = await start();
    const changes = [upsert('one', 'edited'), upsert('two', 'new')];
    const created = await put('pr', { body: { base: 'main', changes } });
    expect([created.status, created.json()]).toEqual([
      201,
      {
        name: 'pr',
        base: 'main',
        drafts: false,
        version: expect.stringMatching(/^[0-9a-f]{16}/),
        entries: 2,
        host: null,
        bytes: expect.any(Number),
        age: expect.any(Number),
        lastUsed: null,
        lifetimeLeft: null,
        error: null,
      },
    ]);
    expect(await titles('/pr')).toEqual(['edited', 'new']);
    expect(await titles('')).toEqual(['main']);
    const [main, preview] = await list();
    expect(main).not.toHaveProperty('base');
    expect(preview.bytes).toBeLessThan(4096);
  });

  test('without changes is the base', async () => {
    const { put, titles, list } = await start();
    for (const body of [{ base: 'main' }, { base: 'main', changes: [] }]) {
      expect((await put('pr', { body })).status).toBeLessThan(300);
      expect(await titles('/pr')).toEqual(['main']);
    }
    const [main, preview] = await list();
    expect(preview.version).toBe(main.version);
  });

  test('is chosen by its host and its path, and replaced by another PUT', async () => {
    const folder = folderOfSnapshots();
    const { putPreview, title, titles } = await start({
      folder,
      settings: { contents: { folder, domain: 'preview.example.org' } },
    });
    expect(await putPreview([upsert('one', 'a')])).toBe(201);
    expect(await title('', 'pr.preview.example.org')).toBe('a');
    expect(await title('', 'pr.example.org')).toBe('main');
    expect(await putPreview([upsert('one', 'b')])).toBe(200);
    expect(await titles('/pr')).toEqual(['b']);
    expect(await title('', 'pr.preview.example.org')).toBe('b');
  });

  test('with hosts is a 400', async () => {
    const { put } = await start();
    const refused = await put('pr', { body: { base: 'main', hosts: ['localhost'] } });
    expect(messageOf(refused)).toEqual([400, expect.stringMatching(/^body: hosts: a content that is put cannot/)]);
  });

  test('of a content that was put follows the next one of this name', async () => {
    const { put, titles } = await start();
    await put('other', { body: { snapshot: 'one.json' } });
    await put('pr', { body: { base: 'other', changes: [upsert('two', 'x')] } });
    expect(await titles('/pr')).toEqual(['one', 'x']);
    await put('other', { body: { snapshot: 'two.json' } });
    expect(await titles('/pr')).toEqual(['two', 'x']);
  });

  test('has a home page', async () => {
    const { port, putPreview } = await start();
    await putPreview([upsert('one', 'edited')]);
    const { status, body } = await askServer(port, '/pr/');
    expect([status, body.toString()]).toEqual([200, expect.stringContaining('href="/pr/api/things"')]);
  });
});

describe('the base', () => {
  test('is followed after changes, a reload and a compaction', async () => {
    const { contents, change, putPreview, titles, versionOf } = await start();
    await putPreview([upsert('two', 'b')]);
    const versions = [await versionOf('/pr')];
    await change('main', { changes: [upsert('three', 'c')] });
    expect(await titles('/pr')).toEqual(['b', 'c', 'main']);
    versions.push(await versionOf('/pr'));
    const { history } = contents.first.content!;
    const store = await compactHere(history.loaded, new AbortController().signal);
    history.rebase(store, runAtOnce(shownStoreInSteps(store, history.settings)));
    expect(await titles('/pr')).toEqual(['b', 'c', 'main']);
    expect(await versionOf('/pr')).toBe(versions[1]);
    history.replace(await loadShared(titled('reloaded')));
    expect(await titles('/pr')).toEqual(['b', 'reloaded']);
    versions.push(await versionOf('/pr'));
    const numbers = versions.map((version) => (version as string).split('-').map(Number));
    const inOrder = [...numbers].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    expect(numbers).toEqual(inOrder);
    expect(new Set(versions).size).toBe(3);
  });

  test('changes without any work for previews that nobody asks for, as the list of contents shows', async () => {
    const { contents, change, putPreview, titles, factsOf } = await start();
    await putPreview([upsert('two', 'b')]);
    const before = await factsOf('pr');
    const make = vi.spyOn(contents.get('pr')!.preview!.maker, 'makeInSteps');
    await change('main', { changes: [upsert('three', 'c')] });
    expect(await factsOf('pr')).toMatchObject({ version: before.version, entries: 2 });
    expect(make).not.toHaveBeenCalled();
    await titles('/pr');
    expect(make).toHaveBeenCalledTimes(1);
    expect(await factsOf('pr')).toMatchObject({ entries: 3, error: null });
    expect((await factsOf('pr')).version).not.toBe(before.version);
  });

  test('that the changes no longer fit is not affected, and the preview says why until they fit again', async () => {
    const { port, change, putPreview, titles, factsOf } = await start();
    await change('main', { changes: [upsert('two', 'b')] });
    await putPreview([removal('two')]);
    expect(await titles('/pr')).toEqual(['main']);
    await change('main', { changes: [removal('two')] });
    const message =
      'The changes of the preview "pr" do not fit "main" as it is now: changes[0]: no thing with documentId "two"';
    for (const url of ['/pr/api/things', '/pr/api/things/one', '/pr/']) {
      const answer = await askServer(port, url);
      expect(messageOf(answer)).toEqual([409, message]);
      expect(answer.headers).toMatchObject({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' });
    }
    expect((await askServer(port, '/pr/api/things')).json().error.details).toEqual({
      problems: ['changes[0]: no thing with documentId "two"'],
      count: 1,
    });
    expect(await factsOf('pr')).toMatchObject({ error: message, version: null, entries: null, bytes: null });
    expect(messageOf(await change('pr', { changes: [upsert('one', 'x')] }))).toEqual([409, message]);
    expect(await titles('')).toEqual(['main']);
    await change('main', { changes: [upsert('two', 'again')] });
    expect(await titles('/pr')).toEqual(['main']);
    expect(await factsOf('pr')).toMatchObject({ error: null, entries: 1 });
  });

  test('cannot be deleted, unless its previews are', async () => {
    const { put, titles, ...running } = await start();
    await put('other', { body: { snapshot: 'one.json' } });
    await put('pr', { body: { base: 'other' } });
    expect(messageOf(await running.delete('other'))).toEqual([
      409,
      '"other" is the base of previews (pr): delete them first',
    ]);
    expect((await running.delete('pr')).status).toBe(204);
    expect(await titles('/pr')).toBe(404);
    expect((await running.delete('other')).status).toBe(204);
  });

  test('may expire before its previews', async () => {
    const { put, stored, port, factsOf } = await start();
    await put('other', { body: { snapshot: 'one.json', lifetime: 60 } });
    await put('pr', { body: { base: 'other' } });
    await stored.removeExpired(Date.now() + 61_000);
    const message = 'The preview "pr" has no base: there is no content "other", or it could not be loaded';
    for (const url of ['/pr/api/things', '/pr/']) expect(messageOf(await askServer(port, url))).toEqual([409, message]);
    expect(await factsOf('pr')).toMatchObject({ error: message });
  });

  test('and its previews do not share rows, caches and permissions', async () => {
    const { put, port, titles } = await start();
    await put('pr', { body: { base: 'main', changes: [upsert('one', 'edited')], token: 'secret' } });
    const url = '/api/things?filters[title]=edited';
    const count = async (path: string, token: string) => {
      const { json } = await askServer(port, path + url, { headers: { Authorization: `Bearer ${token}` } });
      return json().meta.pagination.total;
    };
    for (let i = 0; i < 3; i++) expect([await count('', 'all'), await count('/pr', 'secret')]).toEqual([0, 1]);
    expect(await titles('')).toEqual(['main']);
  });
});

describe('PUT of a preview', () => {
  test.each([
    [{ base: 'x' }, 400, 'base: there is no content "x"'],
    [{ base: 'pr' }, 400, 'base: a preview cannot be its own base'],
    [{ base: 'preview' }, 400, 'base: "preview" is a preview itself'],
    [{ base: 'main', snapshot: 'one.json' }, 400, 'body: snapshot: unknown key'],
    [{ base: 'main', drafts: 1 }, 400, 'body: drafts: must be of type boolean, is 1'],
    [{ base: 'main', token: 'a b' }, 400, 'body: token: must be printable ASCII without blanks'],
    [{ base: 'main', lifetime: 0 }, 400, 'body: lifetime: must be at least 1, is 0'],
    [{ base: 'main', changes: 1 }, 422, 'changes: expected a list, not 1'],
    [
      { base: 'main', changes: [upsert('one', 'a'), { upsert: 'api::x.x', entry: {} }] },
      422,
      'changes[1]: "api::x.x" is no content type',
    ],
    [{ base: 'main', changes: [upsert('one', 1)] }, 422, 'changes[0].entry, attribute title'],
  ])('%j is refused', async (body, status, message) => {
    const { put, titles, factsOf, folder } = await start();
    await put('preview', { body: { base: 'main' } });
    await put('pr', { body: { base: 'main', changes: [upsert('one', 'kept')] } });
    const files = readdirSync(join(folder, '.lectern'));
    const answer = await put('pr', { body });
    expect(messageOf(answer)).toEqual([status, expect.stringContaining(message)]);
    expect(answer.body.toString()).not.toContain('a b');
    if (status === 422) expect(answer.json().error.details).toMatchObject({ count: 1 });
    expect(await titles('/pr')).toEqual(['kept']);
    expect(readdirSync(join(folder, '.lectern'))).toEqual(files);
    expect(await factsOf('pr')).toMatchObject({ base: 'main' });
  });

  test('in place of a base is a 409', async () => {
    const { put } = await start();
    await put('other', { body: { snapshot: 'one.json' } });
    await put('pr', { body: { base: 'other' } });
    expect(messageOf(await put('other', { body: { base: 'main' } }))).toEqual([
      409,
      '"other" is the base of previews (pr): delete them first',
    ]);
  });

  test('counts among the contents', async () => {
    const folder = folderOfSnapshots();
    const { put } = await start({ folder, settings: { contents: { folder, most: 2 } } });
    expect((await put('a', { body: { base: 'main' } })).status).toBe(201);
    expect((await put('b', { body: { base: 'main' } })).status).toBe(409);
  });
});

describe('the token of a preview', () => {
  test('is required of every reader, and is nowhere in plain text', async () => {
    const { putPreview, titles, list, folder, port, contents } = await start();
    const tokens = [{ name: 'other', sha256: sha256('other'), type: 'read-only' }];
    await putPreview([upsert('one', 'edited')], { token: 'top-secret', tokens });
    expect(await titles('/pr')).toBe(403);
    expect(await titles('/pr', 'wrong')).toBe(401);
    // the tokens of the configuration are those of other contents
    expect(await titles('/pr', 'all')).toBe(401);
    expect(await titles('/pr', 'top-secret')).toEqual(['edited']);
    expect(await titles('/pr', 'other')).toEqual(['edited']);
    expect((await askServer(port, '/pr/')).body.toString()).not.toContain('edited');
    const kept = readdirSync(join(folder, '.lectern')).map((name) => readFileSync(join(folder, '.lectern', name)));
    expect([...kept, JSON.stringify(await list()), JSON.stringify(contents.get('pr')!.put)].join()).not.toContain(
      'top-secret',
    );
  });

  test('hides from others why the changes do not fit', async () => {
    const { change, putPreview, port } = await start();
    await change('main', { changes: [upsert('two', 'b')] });
    await putPreview([removal('two')], { token: 'secret' });
    await change('main', { changes: [removal('two')] });
    const statusOf = async (headers: Record<string, string>) =>
      (await askServer(port, '/pr/api/things', { headers })).status;
    expect(await statusOf({})).toBe(403);
    expect(await statusOf({ Authorization: 'Bearer wrong' })).toBe(403);
    expect(await statusOf({ Authorization: 'Bearer secret' })).toBe(409);
    expect((await askServer(port, '/pr/')).body.toString()).not.toContain('two');
  });
});

test('no reply of a preview may be cached or indexed, and those of the base stay as they are', async () => {
  const uploads = temporaryFolder();
  writeFileSync(join(uploads, 'a.txt'), 'a');
  const settings = { uploads, cacheTags: true, cors: { origins: ['https://a.example'] } };
  const { put, port } = await start({ settings });
  await put('pr', { body: { base: 'main', changes: [upsert('one', 'edited')] } });
  const { etag } = (await askServer(port, '/pr/api/things')).headers;
  const cases: [status: number, path: string, options?: object][] = [
    [200, '/api/things'],
    [200, '/api/things', { method: 'HEAD' }],
    [304, '/api/things', { headers: { 'If-None-Match': etag } }],
    [404, '/api/nothing'],
    [404, '/api/things/nothing'],
    [400, '/api/things?sort=nothing'],
    [401, '/api/things', { headers: { Authorization: 'Bearer wrong' } }],
    [405, '/api/things', { method: 'POST' }],
    [204, '/api/things', { method: 'OPTIONS', headers: { Origin: 'https://a.example' } }],
    [200, '/uploads/a.txt'],
    [404, '/uploads/b.txt'],
    [200, '/'],
    [404, '/nothing'],
  ];
  for (const [status, path, options] of cases) {
    const { headers, ...answer } = await askServer(port, `/pr${path}`, options);
    expect([answer.status, path]).toEqual([status, path]);
    expect([headers['cache-control'], headers['x-robots-tag'], path]).toEqual(['private, no-store', 'noindex', path]);
    expect(headers).not.toHaveProperty('cache-tag');
    const base = await askServer(port, path, options);
    expect(base.headers).not.toHaveProperty('x-robots-tag');
    expect(base.headers['cache-control']).not.toBe('private, no-store');
  }
  expect((await askServer(port, '/pr/uploads/a.txt')).body.toString()).toBe('a');
});

describe('POST /_changes', () => {
  test('adds to the changes of a preview, and the base stays as it is', async () => {
    const { change, putPreview, titles, versionOf, factsOf } = await start();
    await putPreview([upsert('two', 'b')]);
    const before = (await versionOf('/pr')) as string;
    const { status, json } = await change('pr', { changes: [upsert('three', 'c')] });
    expect(status).toBe(200);
    expect(json()).toEqual({ version: await versionOf('/pr'), sequence: expect.any(Number) });
    expect(json().version).toBe(`${before.split('-')[0]}-${Number(before.split('-')[1]) + 1}`);
    expect(await titles('/pr')).toEqual(['b', 'c', 'main']);
    await change('pr', { changes: [removal('two'), upsert('three', 'd')] });
    await change('pr', { changes: [upsert('two', 'e')] });
    expect(await titles('/pr')).toEqual(['d', 'e', 'main']);
    expect(await titles('')).toEqual(['main']);
    expect(await factsOf('pr')).toMatchObject({ entries: 3 });
  });

  test('takes an import in batches, each a request, and keeps their keys', async () => {
    const folder = folderOfSnapshots();
    const before = await start({ folder });
    await before.putPreview([]);
    const lines = [upsert('two', 'b'), removal('one'), upsert('three', 'c'), upsert('two', 7)];
    const send = ({ adminPort }: { adminPort: number }, count: number) =>
      askServer(adminPort, '/_changes?lines=2&content=pr', {
        method: 'POST',
        headers: { Authorization: 'Bearer admin', 'Content-Type': 'application/x-ndjson', 'Idempotency-Key': 'k' },
        body: lines
          .slice(0, count)
          .map((line) => JSON.stringify(line))
          .join('\n'),
      });
    const failed = (await send(before, 4)).json().error;
    expect([failed.status, failed.message]).toEqual([422, expect.stringContaining('line 4, entry, attribute title')]);
    expect(await before.titles('/pr')).toEqual(['b']);
    await stopAll();
    const after = await start({ folder });
    const { batches } = (await send(after, 3)).json();
    expect([batches.length, batches[0]]).toEqual([2, failed.details.batches[0]]);
    expect(await after.titles('/pr')).toEqual(['b', 'c']);
    expect(await after.titles('')).toEqual(['main']);
  });

  test('again and again for one entry keeps only its last values', async () => {
    const { contents, change, putPreview, titles } = await start();
    await putPreview([upsert('two', 'b')]);
    for (let i = 0; i < 20; i++) await change('pr', { changes: [upsert('two', `version ${i}`)] });
    const { bytes } = contents.get('pr')!.preview!.changes;
    const list = [{ ...upsert('two', 'version 19'), at: expect.any(String) }];
    expect(JSON.parse(Buffer.from(bytes).toString())).toMatchObject({ format: 1, revision: 20, lists: [list] });
    expect(await titles('/pr')).toEqual(['main', 'version 19']);
  });

  test.each([
    [{ changes: [upsert('one', 1)] }, 422, 'changes[0].entry, attribute title'],
    [{ batch: { entities: [], links: [] } }, 422, 'batch: a preview takes "changes", because the ids'],
    [{ previous: '1-0', changes: [] }, 409, '"previous" is 1-0, but the version'],
  ])('%j is refused', async (body, status, message) => {
    const { change, putPreview, titles } = await start();
    await putPreview([upsert('two', 'b')]);
    expect(messageOf(await change('pr', body))).toEqual([status, expect.stringContaining(message)]);
    expect(await titles('/pr')).toEqual(['b', 'main']);
  });

  test('with the version that is served is applied, and with a known key is answered without being applied', async () => {
    const { change, putPreview, versionOf } = await start();
    await putPreview([]);
    const body = { previous: await versionOf('/pr'), changes: [upsert('two', 'b')] };
    const first = await change('pr', body, { 'Idempotency-Key': 'k' });
    expect(first.status).toBe(200);
    const again = await change('pr', body, { 'Idempotency-Key': 'k' });
    expect([again.status, again.json()]).toEqual([200, first.json()]);
    expect(messageOf(await change('pr', body))).toMatchObject([409, expect.stringContaining('"previous" is')]);
  });

  test('that cannot be written to disk is a 507, and changes nothing', async () => {
    const { change, putPreview, titles } = await start();
    await putPreview([upsert('two', 'b')]);
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall: 'write' });
    vi.spyOn(ContentsFolder.prototype, 'writeChanges').mockRejectedValueOnce(full);
    expect(messageOf(await change('pr', { changes: [upsert('two', 'c')] }))).toEqual([
      507,
      'The disk of contents.folder is full',
    ]);
    expect(await titles('/pr')).toEqual(['b', 'main']);
  });
});

test('a change of a preview in use makes it once', async () => {
  const { contents, change, putPreview, titles } = await start();
  await putPreview([upsert('two', 'b')]);
  await titles('/pr');
  const make = vi.spyOn(contents.get('pr')!.preview!.maker, 'makeInSteps');
  await change('pr', { changes: [upsert('two', 'c')] });
  expect(await titles('/pr')).toEqual(['c', 'main']);
  expect(make).toHaveBeenCalledTimes(1);
  await change('pr', { changes: [removal('two')] });
  expect(await titles('/pr')).toEqual(['main']);
  expect(make).toHaveBeenCalledTimes(1);
});

test('a PUT of a preview while it is being changed is a 409 that says so', async () => {
  const { change, put, putPreview } = await start();
  await putPreview([upsert('two', 'b')]);
  let finish = () => {};
  const writing = new Promise<void>((resolve) => (finish = resolve));
  const write = vi.spyOn(ContentsFolder.prototype, 'writeChanges').mockReturnValueOnce(writing);
  const changing = change('pr', { changes: [upsert('two', 'c')] });
  await waitUntil(() => write.mock.calls.length > 0);
  expect(messageOf(await put('pr', { body: { base: 'main' } }))).toEqual([
    409,
    '"pr" is being changed: try again when that has ended',
  ]);
  finish();
  expect((await changing).status).toBe(200);
});

describe('after a restart', () => {
  test('a preview is served with all its changes, its token and its lifetime', async () => {
    const folder = folderOfSnapshots();
    const before = await start({ folder });
    await before.putPreview([upsert('two', 'b')], { token: 'secret', lifetime: 60 });
    await before.change('pr', { changes: [upsert('three', 'c')] });
    await before.change('pr', { changes: [removal('two')] });
    await stopAll();
    const { titles, factsOf, stored } = await start({ folder });
    expect(await titles('/pr', 'secret')).toEqual(['c', 'main']);
    expect(await titles('/pr')).toBe(403);
    expect(await factsOf('pr')).toMatchObject({ base: 'main', error: null });
    await stored.removeExpired(Date.now() + 61_000);
    expect(await titles('/pr', 'secret')).toBe(404);
    await waitFor(() => expect(readdirSync(join(folder, '.lectern'))).toEqual(['contents.json']));
  });

  test('a request with an Idempotency-Key gets the answer that it had', async () => {
    const folder = folderOfSnapshots();
    const key = (name: string) => ({ 'Idempotency-Key': name });
    const before = await start({ folder });
    await before.putPreview([]);
    const first = await before.change('pr', { changes: [upsert('two', 'b')] }, key('one'));
    await before.change('pr', { changes: [removal('two')] }, key('two'));
    await stopAll();
    const { change, titles, versionOf } = await start({ folder });
    const again = await change('pr', { changes: [upsert('two', 'b')] }, key('one'));
    expect([again.status, again.json()]).toEqual([200, first.json()]);
    expect((await change('pr', { changes: [upsert('two', 'c')] }, key('two'))).status).toBe(422);
    expect(await titles('/pr')).toEqual(['main']);
    expect((await change('pr', { changes: [upsert('two', 'd')] }, key('three'))).json()).toEqual({
      version: await versionOf('/pr'),
      sequence: 3,
    });
  });

  test('a preview whose base or file is gone is listed with the reason', async () => {
    const folder = folderOfSnapshots();
    const before = await start({ folder, given: ['main', 'other'] });
    await before.put('a', { body: { base: 'other' } });
    await before.put('b', { body: { base: 'main' } });
    await stopAll();
    const own = join(folder, '.lectern');
    const changes = readdirSync(own).find((name) => name.startsWith('b.'))!;
    writeFileSync(join(own, changes), '{');
    const { factsOf, titles, lines } = await start({ folder });
    expect(await factsOf('a')).toMatchObject({ error: expect.stringContaining('there is no content "other"') });
    expect(await factsOf('b')).toMatchObject({ error: expect.stringContaining('changes of the preview') });
    expect([await titles('/a'), await titles('/b'), await titles('')]).toEqual([409, 503, ['main']]);
    expect(lines.map(({ content }) => content).filter(Boolean)).toEqual(['b', 'a']);
  });
});

test('an idle preview, and one whose base has changed, hold neither content nor store', async () => {
  const { contents, change, putPreview, titles } = await start({ settings: { contents: { folder: newFolder() } } });
  const left: WeakRef<object>[] = [];
  const use = async () => {
    expect(await titles('/pr')).toEqual(['b', 'main']);
    const { content } = await contents.get('pr')!.preview!.open();
    left.push(new WeakRef(content), new WeakRef(content.history.loaded.store));
  };
  await putPreview([upsert('two', 'b')]);
  await use();
  await change('main', { changes: [upsert('one', 'main')] });
  await use();
  contents.get('pr')!.preview!.release();
  await expectCollected(left);
});

test('a preview that is asked for after its base has expired does not hold the base', async () => {
  const { contents, put, stored, titles } = await start();
  await put('other', { body: { snapshot: 'one.json', lifetime: 60 } });
  await put('pr', { body: { base: 'other' } });
  const left: WeakRef<object>[] = [];
  const use = async () => {
    expect(await titles('/pr')).toEqual(['one']);
    const { content } = contents.get('other')!;
    left.push(new WeakRef(content!), new WeakRef(content!.history.loaded.store));
  };
  await use();
  await stored.removeExpired(Date.now() + 61_000);
  expect(await titles('/pr')).toBe(409);
  await expectCollected(left);
});

async function expectCollected(left: readonly WeakRef<object>[]): Promise<void> {
  for (let i = 0; i < 10; i++) {
    await setImmediate();
    gc!();
  }
  expect(left.map((each) => each.deref())).toEqual(left.map(() => undefined));
}

function newFolder(): string {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  return folder;
}
