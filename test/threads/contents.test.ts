// `lectern serve main=A pr-1=B --threads 2`: every thread serves the same contents.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canShareMemory } from '../../src/core/memory/allocator.ts';
import { moduleFile, removeModulesAfterAll } from '../extend/module.ts';
import { writeArchive } from '../media/exports.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { askServer, type HttpAnswer } from '../support/http.ts';
import { samples } from '../support/server.ts';
import {
  type Ask,
  connectionsByThread,
  ending,
  endProcessesAfterEach,
  type ServingProcess,
  startProcess,
} from '../support/threads.ts';
import { waitFor } from '../support/wait.ts';

endProcessesAfterEach();
removeModulesAfterAll();

const admin = { Authorization: 'Bearer admin' };
function write(folder: string, name: string, title: string): string {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify(thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'one', title }])));
  return path;
}

interface Running extends ServingProcess {
  readonly folder: string;
  readonly main: string;
  put(name: string, body: object): Promise<HttpAnswer>;
  remove(name: string): Promise<HttpAnswer>;
  /** Sends a list of changes to a content. */
  change(name: string, changes: object[]): Promise<HttpAnswer>;
  /** Returns the URL of a new link. */
  ticket(name: string): Promise<string>;
  list(): Promise<Record<string, any>[]>;
  metrics(): Promise<Map<string, number>>;
}

/** Starts two threads with the settings of `contents` and the contents `main` and `pr-1`, whose things have their names as titles. */
async function startContents(args: string[] = [], contents: object = {}): Promise<Running> {
  const folder = join(temporaryFolder(), 'contents');
  mkdirSync(folder);
  const main = write(folder, 'main', 'main');
  const server = await startProcess(
    `main=${main}`,
    [`pr-1=${write(folder, 'one', 'pr-1')}`, '--threads', '2', '--admin-port', '0', ...args],
    {
      log: { format: 'json', requests: true },
      public: true,
      admin: { tokens: [{ name: 'ci', sha256: sha256('admin'), rights: ['contents', 'reload', 'changes'] }] },
      contents: { folder, ...contents },
    },
  );
  const ask = (path: string, method = 'GET', body?: string, type = 'application/json') =>
    askServer(server.adminPort!, path, { method, headers: { ...admin, 'Content-Type': type }, body });
  return {
    ...server,
    folder,
    main,
    put: (name, body) => ask(`/_contents/${name}`, 'PUT', JSON.stringify(body)),
    remove: (name) => ask(`/_contents/${name}`, 'DELETE'),
    change: (name, changes) => ask(`/_changes?content=${name}`, 'POST', JSON.stringify({ changes })),
    ticket: async (name) => (await ask(`/_contents/${name}/ticket`, 'POST')).json().url,
    list: async () => (await ask('/_contents')).json().contents,
    metrics: async () => samples((await ask('/_metrics')).body.toString()),
  };
}

/** The title of the thing of a content, or the status of another reply than 200. */
async function title(ask: Ask, path: string, headers: Record<string, string> = {}): Promise<string | number> {
  const answer = await ask(`${path}/api/things`, { headers });
  return answer.status === 200 ? answer.json().data[0].title : answer.status;
}

function testThreads(): void {
  test('serve the same contents by host and path while they are put, replaced and deleted', async () => {
    const { put, remove, list, folder, ...server } = await startContents([], {
      domain: 'preview.example.org',
    });
    const asks = [...(await connectionsByThread(server, 2)).values()];
    const titles = (path: string, headers = {}) => Promise.all(asks.map((ask) => title(ask, path, headers)));
    expect(await titles('')).toEqual(['main', 'main']);
    expect(await titles('/pr-1')).toEqual(['pr-1', 'pr-1']);
    expect(await titles('/pr-2')).toEqual([404, 404]);

    write(folder, 'two', 'Before');
    const tokens = [{ name: 'preview', sha256: sha256('preview'), type: 'full-access' }];
    expect((await put('pr-2', { snapshot: 'two.json', tokens })).status).toBe(201);
    expect(await titles('/pr-2')).toEqual(['Before', 'Before']);
    const host = { Host: 'pr-2.preview.example.org' };
    expect(await titles('', host)).toEqual(['Before', 'Before']);
    expect(await titles('', { Host: 'pr-2.example.org' })).toEqual(['main', 'main']);
    const authorization = { Authorization: 'Bearer preview' };
    expect(await titles('/pr-2', authorization)).toEqual(['Before', 'Before']);
    expect(await titles('/pr-1', authorization)).toEqual([401, 401]);
    const replies = await Promise.all(asks.map((ask) => ask('/pr-2/api/things')));
    const [first, second] = replies.map(({ headers, body }) => [headers.etag, body.toString()]);
    expect(first).toEqual(second);

    write(folder, 'two', 'After');
    expect((await put('pr-2', { snapshot: 'two.json' })).status).toBe(200);
    expect(await titles('/pr-2')).toEqual(['After', 'After']);
    expect(await titles('', host)).toEqual(['After', 'After']);
    expect(await titles('/pr-2', authorization)).toEqual([401, 401]);
    expect((await put('pr-2', { snapshot: 'none.json' })).status).toBe(400);
    expect(await titles('/pr-2')).toEqual(['After', 'After']);
    expect((await list()).map(({ name, lastUsed }) => [name, lastUsed !== null])).toEqual([
      ['main', true],
      ['pr-1', true],
      ['pr-2', true],
    ]);

    expect((await remove('pr-2')).status).toBe(204);
    expect(await titles('/pr-2')).toEqual([404, 404]);
    expect((await remove('pr-1')).status).toBe(204);
    expect(await titles('/pr-1')).toEqual([404, 404]);
    expect(await titles('')).toEqual(['main', 'main']);
  });

  test('make previews of their own bases, with the same replies, and follow every change of both', async () => {
    const extend = ['--extend', moduleFile(ending)];
    const { put, remove, change, list, metrics, folder, ...server } = await startContents(extend);
    const asks = [...(await connectionsByThread(server, 2)).values()];
    const retitled = (title: string) => [{ upsert: 'api::thing.thing', entry: { documentId: 'one', title } }];
    const titles = async (authorization = 'Bearer secret') => {
      const answers = await Promise.all(asks.map((ask) => ask('/pr/api/things', { headers: { authorization } })));
      const replies = answers.map(({ status, headers, body }) => [
        status,
        headers.etag,
        headers['x-lectern-version'],
        headers['x-robots-tag'],
        body.toString(),
      ]);
      expect(replies[1]).toEqual(replies[0]);
      const [{ status, json }] = answers;
      return status === 200 ? json().data.map(({ title }: { title: string }) => title) : status;
    };
    const before = await put('pr', { base: 'main', changes: retitled('preview'), token: 'secret' });
    expect(before.status).toBe(201);
    expect(await titles()).toEqual(['preview']);
    expect(await titles('Bearer wrong')).toEqual(401);
    const { version } = (await change('pr', retitled('later'))).json();
    expect(await titles()).toEqual(['later']);
    expect((await asks[0]('/pr/api/things', { headers: { authorization: 'Bearer secret' } })).headers).toMatchObject({
      'x-lectern-version': version,
      'cache-control': 'private, no-store',
    });
    const added = [{ upsert: 'api::thing.thing', entry: { documentId: 'two', title: 'added to the base' } }];
    await change('main', added);
    expect(await titles()).toEqual(['later', 'added to the base']);
    await put('pr', { base: 'main', changes: [{ delete: 'api::thing.thing', documentId: 'two' }], token: 'secret' });
    expect(await titles()).toEqual(['main']);
    await change('main', [{ delete: 'api::thing.thing', documentId: 'two' }]);
    expect(await titles()).toBe(409);
    expect((await list()).find(({ name }) => name === 'pr')).toMatchObject({ base: 'main', error: expect.any(String) });
    await change('main', added);
    expect(await titles()).toEqual(['main']);
    const series = 'lectern_http_request_duration_seconds_count{content="pr",route="/api/things",status="200"}';
    expect((await metrics()).get(series)).toBeGreaterThan(8);

    // a thread that is replaced has the preview, too
    await asks[0]('/api/end');
    await server.line(({ msg }) => msg === 'a thread ended unexpectedly and is replaced');
    asks.splice(0, 2, ...(await connectionsByThread(server, 2)).values());
    expect(await titles()).toEqual(['main']);
    await remove('pr');
    expect(await titles()).toBe(404);
  });

  test('open a link once, and take its cookie in every thread', async () => {
    const { put, ticket, ...server } = await startContents(['--extend', moduleFile(ending)]);
    const asks = [...(await connectionsByThread(server, 2)).values()];
    await put('pr', { base: 'main', token: 'secret' });
    for (const first of [0, 1]) {
      const url = await ticket('pr');
      const opened = await Promise.all([asks[first](url), asks[1 - first](url)]);
      expect(opened.map(({ status }) => status).sort()).toEqual([303, 403]);
      const [cookie] = opened.find(({ status }) => status === 303)!.headers['set-cookie']!;
      const headers = { cookie: cookie.split(';', 1)[0] };
      expect(await Promise.all(asks.map((ask) => title(ask, '/pr', headers)))).toEqual(['main', 'main']);
      expect(await Promise.all(asks.map((ask) => title(ask, '/pr')))).toEqual([403, 403]);
      await put('pr', { base: 'main', token: 'secret' });
      expect(await Promise.all(asks.map((ask) => title(ask, '/pr', headers)))).toEqual([403, 403]);
    }

    // a thread that is replaced opens links and takes cookies, too
    await asks[0]('/api/end');
    await server.line(({ msg }) => msg === 'a thread ended unexpectedly and is replaced');
    for (const ask of (await connectionsByThread(server, 2)).values()) {
      const [cookie] = (await ask(await ticket('pr'))).headers['set-cookie']!;
      expect(await title(ask, '/pr', { cookie: cookie.split(';', 1)[0] })).toBe('main');
    }
    expect(JSON.stringify(server.lines)).not.toMatch(/_preview\?|lectern-preview/);
  });

  test('add up the metrics of each content', async () => {
    const { put, remove, metrics, folder, ...server } = await startContents();
    const asks = [...(await connectionsByThread(server, 2)).values()];
    write(folder, 'two', 'pr-2');
    await put('pr-2', { snapshot: 'two.json' });
    for (const ask of asks) for (const path of ['', '/pr-2', '/pr-2']) await title(ask, path);
    const series = 'lectern_http_request_duration_seconds_count';
    const count = (found: Map<string, number>, content: string) =>
      found.get(`${series}{content="${content}",route="/api/things",status="200"}`);
    const several = await metrics();
    expect(['main', 'pr-1', 'pr-2'].map((name) => count(several, name))).toEqual([2, undefined, 4]);
    expect(several.get('lectern_entries{content="pr-2"}')).toBe(1);
    await remove('pr-1');
    await remove('pr-2');
    const one = await metrics();
    expect([...one.keys()].filter((name) => name.includes('content="'))).toEqual([]);
    expect(one.get(`${series}{route="/api/things",status="200"}`)).toBe(2);
    expect(one.get('lectern_http_replies_total{status="200"}')).toBe(6);
  });

  test('hold no caches of an idle content', async () => {
    const { metrics, ...server } = await startContents([], { idleSeconds: 1 });
    const asks = [...(await connectionsByThread(server, 2)).values()];
    const bytes = async () =>
      [...(await metrics())]
        .filter(([name]) => name.startsWith('lectern_cache_bytes{content="pr-1"'))
        .reduce((sum, [, value]) => sum + value, 0);
    await waitFor(async () => {
      // replies are cached from the second request on
      for (const ask of asks) for (let i = 0; i < 3; i++) await title(ask, '/pr-1');
      expect(await bytes()).toBeGreaterThan(0);
    });
    await waitFor(async () => expect(await bytes()).toBe(0));
    expect(await Promise.all(asks.map((ask) => title(ask, '/pr-1')))).toEqual(['pr-1', 'pr-1']);
  });

  test('remove a content at the end of its lifetime', async () => {
    const { put, folder, ...server } = await startContents();
    const asks = [...(await connectionsByThread(server, 2)).values()];
    write(folder, 'two', 'pr-2');
    await put('pr-2', { snapshot: 'two.json', lifetime: 1 });
    await server.line(({ msg }) => msg === 'content removed: its lifetime has ended');
    expect(await Promise.all(asks.map((ask) => title(ask, '/pr-2')))).toEqual([404, 404]);
  });

  test('have all contents again after one of them ended', async () => {
    const { put, remove, folder, metrics, ...server } = await startContents(['--extend', moduleFile(ending)]);
    write(folder, 'two', 'Before');
    await put('pr-2', { snapshot: 'two.json' });
    const [end, other] = (await connectionsByThread(server, 2)).values();
    expect(await title(end, '/pr-2')).toBe('Before');
    expect((await end('/pr-2/api/end')).status).toBe(200);
    const { thread } = await server.line(({ msg }) => msg === 'a thread ended unexpectedly and is replaced');
    write(folder, 'two', 'After');
    expect((await put('pr-2', { snapshot: 'two.json' })).status).toBe(200);
    expect((await remove('pr-1')).status).toBe(204);
    const again = await connectionsByThread(server, 2);
    for (const ask of [again.get(thread)!, other]) {
      expect(await title(ask, '')).toBe('main');
      expect(await title(ask, '/pr-1')).toBe(404);
      expect(await title(ask, '/pr-2')).toBe('After');
    }
    expect((await metrics()).get('lectern_threads_restarted_total')).toBe(1);
    server.child.kill();
    expect(await server.exit).toEqual([0, null]);
  });

  test('serve the uploaded files of each content', async () => {
    const urlOf = (name: string) => `/uploads/${name}_0123456789.png`;
    const archiveOf = (name: string) => {
      const file = { url: urlOf(name), hash: `${name}_0123456789`, ext: '.png' };
      return writeArchive({ files: [file], assets: { [`${name}_0123456789.png`]: `a ${name}` } });
    };
    const dogs = await archiveOf('dog');
    const given = [`cats=${await archiveOf('cat')}`, `dogs=${dogs}`, `again=${dogs}`];
    const { remove, ...server } = await startContents([...given, '--cache', temporaryFolder()]);
    const asks = [...(await connectionsByThread(server, 2)).values()];
    const answers = (path: string) =>
      Promise.all(asks.map(async (ask) => ask(path).then(({ status, body }) => (status === 200 ? `${body}` : status))));
    expect(await answers(`/cats${urlOf('cat')}`)).toEqual(['a cat', 'a cat']);
    expect(await answers(`/cats${urlOf('dog')}`)).toEqual([404, 404]);
    expect(await answers(`/again${urlOf('dog')}`)).toEqual(['a dog', 'a dog']);
    expect((await remove('again')).status).toBe(204);
    expect(await answers(`/again${urlOf('dog')}`)).toEqual([404, 404]);
    expect(await answers(`/dogs${urlOf('dog')}`)).toEqual(['a dog', 'a dog']);
  });

  test('serve again after a restart what was put', async () => {
    const first = await startContents();
    write(first.folder, 'two', 'pr-2');
    await first.put('pr-2', { snapshot: 'two.json' });
    first.child.kill();
    await first.exit;
    const server = await startProcess(first.main, ['--threads', '2'], {
      log: { format: 'json', requests: true },
      public: true,
      contents: { folder: first.folder },
    });
    for (const ask of (await connectionsByThread(server, 2)).values()) {
      expect(await title(ask, '')).toBe('main');
      expect(await title(ask, '/pr-2')).toBe('pr-2');
    }
  });
}

function testOneThread(): void {
  test('one thread serves several contents', async () => {
    const { port, lines } = await startContents();
    expect(lines.some(({ msg }) => msg.startsWith('threads is 2, but this process serves with one thread'))).toBe(true);
    const ask: Ask = (path, options) => askServer(port, path, options);
    expect([await title(ask, ''), await title(ask, '/pr-1')]).toEqual(['main', 'pr-1']);
  });
}

test('a reload loads the contents of the command line, but none that was put', async () => {
  const { put, remove, folder, port, adminPort } = await startContents();
  const ask: Ask = (path, options) => askServer(port, path, options);
  write(folder, 'two', 'pr-2');
  await put('pr-2', { snapshot: 'two.json' });
  // takes the name of a content of the command line
  await remove('pr-1');
  expect((await put('pr-1', { snapshot: 'two.json' })).status).toBe(201);
  for (const name of ['main', 'one', 'two']) write(folder, name, 'new');
  expect((await askServer(adminPort!, '/_reload', { method: 'POST', headers: admin })).status).toBe(200);
  const titles = await Promise.all(['', '/pr-1', '/pr-2'].map((path) => title(ask, path)));
  expect(titles).toEqual(['new', 'pr-2', 'pr-2']);
});

if (canShareMemory) describe('two threads', testThreads);
else describe('before Node 22.12', testOneThread);
