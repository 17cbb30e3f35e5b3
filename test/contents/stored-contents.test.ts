import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ContentsFolder } from '../../src/content/registry/contents-folder.ts';
import { ConfigError } from '../../src/index.ts';
import type { Section } from '../../src/load/image/format.ts';
import { caseCount } from '../support/cases.ts';
import { temporaryFolder } from '../support/folders.ts';
import { bytesOfSection, itemsOf, withSections } from '../support/foreign-images.ts';
import { sha256 } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { makeImageFolder, partsOf, writeImageOf, writeParts } from '../support/images.ts';
import { waitFor, waitUntil } from '../support/wait.ts';
import { folderOfSnapshots, openTitled, startContents, stopAll } from './running-contents.ts';

/** Contents that are put, replaced, deleted, kept over a restart and removed at the end of their lifetime. */

makeImageFolder();
afterEach(stopAll);

const noHosts =
  'hosts: a content that is put cannot choose its hosts: leave it out, and set contents.domain to choose contents by NAME.DOMAIN';
const own = (folder: string) => readdirSync(join(folder, '.lectern')).sort();
const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(folder, '.lectern/contents.json'), 'utf8')).contents;
const imageOf = async (folder: string, name: string) =>
  readFileSync((await writeImageOf(join(folder, `${name}.json`))).path);

/** Holds the next write of the manifest. Returns a function that waits until it begins, and one that lets it go on. */
function holdManifest(): { begun: Promise<void>; finish: () => void } {
  const { writeManifest } = ContentsFolder.prototype;
  let finish = () => {};
  const held = new Promise<void>((resolve) => (finish = resolve));
  const begun = new Promise<void>((begin) => {
    vi.spyOn(ContentsFolder.prototype, 'writeManifest').mockImplementationOnce(async function (
      this: ContentsFolder,
      contents,
    ) {
      begin();
      await held;
      return writeManifest.call(this, contents);
    });
  });
  return { begun, finish };
}

describe('PUT', () => {
  test('serves a snapshot of the folder under a new name, and another one under the same name', async () => {
    const running = await startContents();
    const created = await running.put('pr-1', { body: { snapshot: 'one.json' } });
    expect([created.status, created.json()]).toEqual([
      201,
      {
        name: 'pr-1',
        version: expect.stringMatching(/^[0-9a-f]{16}/),
        entries: 1,
        host: null,
        bytes: expect.any(Number),
        age: expect.any(Number),
        lastUsed: null,
        lifetimeLeft: null,
        error: null,
      },
    ]);
    expect(await running.title('/pr-1')).toBe('one');
    expect((await running.put('pr-1', { body: { snapshot: 'two.json' } })).status).toBe(200);
    expect(await running.title('/pr-1')).toBe('two');
    expect(await running.title('')).toBe('main');
  });

  test.each(['application/octet-stream', 'application/gzip; x=1', 'Application/X-Tar'])(
    'serves a prebuilt image that is sent as %s, and removes its file when it is replaced',
    async (type) => {
      const running = await startContents();
      const { folder } = running;
      expect((await running.put('a', { bytes: await imageOf(folder, 'one'), type })).status).toBe(201);
      expect(await running.title('/a')).toBe('one');
      const before = own(folder);
      expect((await running.put('a', { bytes: await imageOf(folder, 'two'), type })).status).toBe(200);
      expect(await running.title('/a')).toBe('two');
      expect(before).toHaveLength(2);
      await waitFor(() => expect(own(folder)).toEqual(['a', 'contents'].map((name) => expect.stringContaining(name))));
      expect(own(folder)).not.toEqual(before);
    },
  );

  test('takes tokens and lifetime of bytes from the query string', async () => {
    const running = await startContents();
    const tokens = [{ name: 'x', sha256: sha256('x'), type: 'read-only' }];
    const query = `?lifetime=60&tokens=${encodeURIComponent(JSON.stringify(tokens))}`;
    const bytes = await imageOf(running.folder, 'one');
    const { json } = await running.put('a', { bytes, type: 'application/octet-stream', query });
    expect(json()).toMatchObject({ lifetimeLeft: 60 });
    expect(manifestOf(running.folder)).toMatchObject([{ name: 'a', tokens }]);
    expect(await running.title('/a')).toBe('one');
  });

  test.each([
    ['..', 'must be a relative path below contents.folder'],
    ['../one.json', 'must be a relative path below contents.folder'],
    ['a/../../x', 'must be a relative path below contents.folder'],
    ['a\\..\\x', 'must be a relative path below contents.folder'],
    ['/etc', 'must be a relative path below contents.folder'],
    ['one.json\0', 'must be a relative path below contents.folder'],
    ['out', 'is a link out of contents.folder'],
    ['out/passwd', 'is a link out of contents.folder'],
    ['nothing', 'does not exist in contents.folder'],
    ['.lectern/contents.json', 'belongs to Lectern in contents.folder'],
    ['mine', 'belongs to Lectern in contents.folder'],
  ])('refuses the path %j', async (snapshot, reason) => {
    const folder = folderOfSnapshots();
    symlinkSync('/etc', join(folder, 'out'));
    symlinkSync('.lectern', join(folder, 'mine'));
    const running = await startContents({ folder });
    await running.put('kept', { body: { snapshot: 'one.json' } });
    const { status, json } = await running.put('kept', { body: { snapshot } });
    expect([status, json().error.message]).toEqual([400, `snapshot: ${JSON.stringify(snapshot)} ${reason}`]);
    expect(await running.title('/kept')).toBe('one');
  });

  test('follows a link inside the folder, at each load', async () => {
    const folder = folderOfSnapshots();
    symlinkSync('one.json', join(folder, 'current.json'));
    const first = await startContents({ folder });
    expect((await first.put('a', { body: { snapshot: 'current.json' } })).status).toBe(201);
    await stopAll();
    symlinkSync('two.json', join(folder, 'next.json'));
    renameSync(join(folder, 'next.json'), join(folder, 'current.json'));
    expect(await (await startContents({ folder })).title('/a')).toBe('two');
  });

  test.each([
    [{ body: { snapshot: 'one.json', host: [] } }, 400, expect.stringMatching(/^body: host: unknown key/)],
    [{ body: { snapshot: 'one.json', hosts: ['localhost'] } }, 400, `body: ${noHosts}`],
    [{ body: { snapshot: 'one.json', hosts: [] } }, 400, `body: ${noHosts}`],
    [{ bytes: 'x', type: 'application/gzip', query: '?hosts=www.example.org' }, 400, `query: ${noHosts}`],
    [{ body: { snapshot: 'one.json', lifetime: 0 } }, 400, 'body: lifetime: must be at least 1, is 0'],
    [{ body: {} }, 400, 'body: snapshot: is required'],
    [{ bytes: '{"snapshot":' }, 400, 'body: 1:13: invalid JSON: expected a value'],
    [{ bytes: '{"snapshot":"one.json",\n"snapshot":"two.json"}' }, 400, 'body: 2:1: duplicate key "snapshot"'],
    [{ bytes: 'x', type: 'text/plain' }, 415, expect.stringMatching(/^Send JSON \(application\/json\) or a snapshot/)],
    [{ bytes: '', type: 'application/gzip' }, 400, 'The body is empty: send an export or a prebuilt image'],
    [
      { bytes: 'x', type: 'application/gzip', query: '?lifetime=soon' },
      400,
      'query: lifetime: must be of type number, is "soon"',
    ],
    [{ bytes: 'x', type: 'application/gzip', query: '?lifetime=1&lifetime=2' }, 400, 'query: lifetime is given twice'],
    [{ bytes: 'x', type: 'application/gzip', query: '?tokens=[' }, 400, expect.stringMatching(/^query: tokens: 1:2: /)],
    [
      { bytes: Buffer.alloc(2000), type: 'application/gzip' },
      413,
      'The body takes more than 1000 bytes (contents.uploadBytes)',
    ],
    [{ bytes: 'x', type: 'application/gzip' }, 422, expect.stringContaining('not a readable archive')],
    [{ body: { snapshot: 'broken.json' } }, 422, expect.stringContaining('the snapshot has 1 problem')],
  ])('%j is a %i, and the old content is served', async (put, expected, message) => {
    const folder = folderOfSnapshots();
    const running = await startContents({ folder, settings: { contents: { folder, uploadBytes: 1000 } } });
    await running.put('a', { body: { snapshot: 'one.json' } });
    const { status, json } = await running.put('a', put);
    expect([status, json().error.message]).toEqual([expected, message]);
    expect(await running.title('/a')).toBe('one');
    expect(own(folder)).toEqual(['contents.json']);
  });

  test.each(['application/json', 'application/gzip'])('of %s with a Content-Encoding is a 415', async (type) => {
    const { adminPort } = await startContents();
    const headers = { Authorization: 'Bearer admin', 'Content-Type': type, 'Content-Encoding': 'gzip' };
    const { status, json } = await askServer(adminPort, '/_contents/a', { method: 'PUT', headers, body: '{}' });
    expect([status, json().error.message]).toEqual([415, expect.stringContaining('without Content-Encoding')]);
  });

  test('lists the problems of a snapshot that does not load', async () => {
    const running = await startContents();
    const { json } = await running.put('a', { body: { snapshot: 'broken.json' } });
    expect(json().error.details).toEqual({ problems: [expect.stringContaining('broken.json')], count: 1 });
    expect(await running.title('/a')).toBe(404);
  });

  test.each([
    ['A', 400, expect.stringContaining('"A" cannot name a content')],
    ['api', 400, '"api" cannot name a content: the server uses the path /api'],
    ['main', 409, '"main" is given at the start of the server: replace its snapshot and reload (POST /_reload)'],
    ['other', 409, '"other" is given at the start of the server: replace its snapshot and reload (POST /_reload)'],
  ])('with the name %s is a %i', async (name, expected, message) => {
    const running = await startContents({ given: ['main', 'other'] });
    const { status, json } = await running.put(name, { body: { snapshot: 'one.json' } });
    expect([status, json().error.message]).toEqual([expected, message]);
    expect(await running.title('')).toBe('main');
  });

  test('refuses an image whose rows end behind their bytes, and serves the old content', async () => {
    const running = await startContents();
    const type = 'application/octet-stream';
    const bytes = await imageOf(running.folder, 'one');
    expect((await running.put('a', { bytes, type })).status).toBe(201);
    const parts = partsOf(bytes);
    const areStarts = (one: Section) => one.name.endsWith('/jsonRows/starts') && one.bytes > 0;
    const section = parts.manifest.sections.find(areStarts)!;
    const { name } = section;
    const starts = itemsOf(bytesOfSection(parts.data, section), section.kind) as Uint32Array;
    starts[starts.length - 1]! += 60_000;
    const foreign = readFileSync(writeParts(withSections(parts, new Map([[name, Buffer.from(starts.buffer)]]))));
    const { status, json } = await running.put('a', { bytes: foreign, type });
    expect([status, json().error.message]).toEqual([422, expect.stringContaining(`array ${name}: item`)]);
    expect(await running.title('/a')).toBe('one');
  });

  test('takes no request of the hosts of a content that is given at the start', async () => {
    const running = await startContents({ given: ['main', 'shop'] });
    for (const name of ['www', 'localhost', 'example']) {
      expect((await running.put(name, { body: { snapshot: 'one.json' } })).status).toBe(201);
      expect(await running.title(`/${name}`)).toBe('one');
    }
    for (const host of ['www.example.org', 'localhost', 'localhost.example.org', 'example.org', 'www']) {
      expect(await running.title('', host)).toBe('main');
    }
    expect(await running.title('', 'shop.example.org')).toBe('shop');
  });

  test('is chosen by its name before contents.domain, and listed with this host', async () => {
    const folder = folderOfSnapshots();
    const running = await startContents({
      folder,
      given: ['main', 'shop'],
      settings: { contents: { folder, domain: 'Preview.example.org' } },
    });
    const created = await running.put('pr-1', { body: { snapshot: 'one.json' } });
    expect(created.json().host).toBe('pr-1.preview.example.org');
    expect(await running.title('', 'pr-1.preview.example.org')).toBe('one');
    expect(await running.title('', 'www.pr-1.preview.example.org:80')).toBe('one');
    expect(await running.title('', 'pr-1.example.org')).toBe('main');
    expect(await running.title('', 'shop.preview.example.org')).toBe('shop');
    expect((await running.list()).map(({ host }) => host)).toEqual([null, null, 'pr-1.preview.example.org']);
  });

  test('takes no route of the first content if the prefix is empty', async () => {
    const running = await startContents({ settings: { prefix: '' } });
    const statusOf = async (path: string) => (await askServer(running.port, path)).status;
    const paths = ['/i18n/locales', '/upload/files', '/content-type-builder/content-types'];
    const before = await Promise.all(paths.map(statusOf));
    for (const name of ['i18n', 'upload', 'content-type-builder']) {
      expect((await running.put(name, { body: { snapshot: 'one.json' } })).status).toBe(201);
    }
    expect(await Promise.all(paths.map(statusOf))).toEqual(before);
    expect((await askServer(running.port, '/i18n/things')).json().data[0].title).toBe('one');
  });

  test('with the name of a route is a 400 if the prefix is empty', async () => {
    const running = await startContents({ settings: { prefix: '' } });
    const { status, json } = await running.put('things', { body: { snapshot: 'one.json' } });
    expect([status, json().error.message]).toEqual([400, '"things" cannot name a content: it is a route of "main"']);
  });

  test('of more contents than allowed is a 409', async () => {
    const folder = folderOfSnapshots();
    const running = await startContents({ settings: { contents: { folder, most: 2 } }, folder });
    expect((await running.put('a', { body: { snapshot: 'one.json' } })).status).toBe(201);
    const { status, json } = await running.put('b', { body: { snapshot: 'one.json' } });
    expect([status, json().error.message]).toEqual([
      409,
      'There are 2 contents already: delete one first, or raise contents.most',
    ]);
    expect((await running.put('a', { body: { snapshot: 'two.json' } })).status).toBe(200);
  });

  test('of more contents than allowed is a 409 while another one is being put', async () => {
    const loads = vi.fn(() => openTitled('new'));
    const folder = folderOfSnapshots();
    const running = await startContents({ open: loads, folder, settings: { contents: { folder, most: 2 } } });
    const { finish } = holdManifest();
    const answers = ['a', 'b'].map((name) => running.put(name, { body: { snapshot: 'one.json' } }));
    // the second one is loaded while the first one waits for the disk
    await waitFor(() => expect(loads).toHaveBeenCalledTimes(2));
    await Promise.all(loads.mock.results.map(({ value }) => value));
    await setImmediate();
    finish();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 409]);
    expect(running.contents.all).toHaveLength(2);
    expect(manifestOf(running.folder)).toHaveLength(1);
  });

  test('that fails when other threads are told keeps what the manifest names', async () => {
    const running = await startContents();
    running.contents.onChange(() => Promise.reject(new Error('not told')));
    const bytes = await imageOf(running.folder, 'one');
    expect((await running.put('a', { bytes, type: 'application/octet-stream' })).status).toBe(500);
    expect(await running.title('/a')).toBe('one');
    await stopAll();
    expect(await (await startContents({ folder: running.folder })).title('/a')).toBe('one');
  });

  test('closes the content before when other threads cannot be told', async () => {
    const running = await startContents();
    const { folder } = running;
    const type = 'application/octet-stream';
    await running.put('a', { bytes: await imageOf(folder, 'one'), type });
    const files = own(folder);
    const replaced = vi.spyOn(running.contents.get('a')!.content!, 'close');
    running.contents.onChange(() => Promise.reject(new Error('not told')));
    expect((await running.put('a', { bytes: await imageOf(folder, 'two'), type })).status).toBe(500);
    expect(await running.title('/a')).toBe('two');
    await waitFor(() => expect(replaced).toHaveBeenCalledTimes(1));
    await waitFor(() => expect(own(folder)).toHaveLength(files.length));
    const deleted = vi.spyOn(running.contents.get('a')!.content!, 'close');
    expect((await running.delete('a')).status).toBe(500);
    await waitFor(() => expect(deleted).toHaveBeenCalledTimes(1));
    await waitFor(() => expect(own(folder)).toEqual(['contents.json']));
  });

  test('without a name is a 404 that names the path', async () => {
    const { status, json } = await (await startContents()).put('', { body: { snapshot: 'one.json' } });
    expect([status, json().error.message]).toEqual([404, 'There is no PUT /_contents/ on this port']);
  });

  test('of one name while it is being put is a 409, and so is a DELETE', async () => {
    let finish = () => {};
    const loading = new Promise<void>((resolve) => (finish = resolve));
    const running = await startContents({ open: () => loading.then(() => openTitled('late')) });
    const first = running.put('a', { body: { snapshot: 'one.json' } });
    const second = await waitUntil(async () => {
      const answer = await running.put('a', { body: { snapshot: 'two.json' } });
      return answer.status === 409 && answer;
    });
    expect(second.json().error.message).toBe('"a" is being put: try again when that has ended');
    finish();
    expect((await first).status).toBe(201);
    expect(await running.title('/a')).toBe('late');
  });

  test('that is cut off leaves nothing, and the old content is served', async () => {
    const running = await startContents();
    await running.put('a', { body: { snapshot: 'one.json' } });
    const socket = running.begin('a', 1000, Buffer.alloc(500));
    await waitFor(() => expect(own(running.folder)).toHaveLength(2));
    socket.destroy();
    await waitFor(() => expect(own(running.folder)).toEqual(['contents.json']));
    await waitFor(() => expect(running.lines.at(-1)).toMatchObject({ level: 30, msg: 'the client broke off' }));
    expect(await running.title('/a')).toBe('one');
    // the name is free again
    expect((await running.put('a', { body: { snapshot: 'two.json' } })).status).toBe(200);
  });

  test('whose body pauses is ended', async () => {
    const running = await startContents({ settings: { timeouts: { headers: 100, request: 100 } } });
    const socket = running.begin('a', 1000, Buffer.alloc(500));
    await new Promise((resolve) => socket.once('close', resolve));
    await waitFor(() => expect(own(running.folder)).toEqual([]));
  });

  test('is closed without a folder', async () => {
    const running = await startContents({ folder: null });
    const { status, json } = await running.put('a', { body: { snapshot: 'one.json' } });
    expect([status, json().error.message]).toEqual([403, 'No content can be put: set contents.folder']);
  });

  test('that cannot be written to disk is a 507, and the old content is served', async () => {
    const running = await startContents();
    await running.put('a', { body: { snapshot: 'one.json' } });
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall: 'write' });
    vi.spyOn(ContentsFolder.prototype, 'writeManifest').mockRejectedValueOnce(full);
    const bytes = await imageOf(running.folder, 'two');
    const { status, json } = await running.put('a', { bytes, type: 'application/octet-stream' });
    expect([status, json().error.message]).toEqual([507, 'The disk of contents.folder is full']);
    expect(await running.title('/a')).toBe('one');
    expect(own(running.folder)).toEqual(['contents.json']);
  });
});

describe('DELETE', () => {
  test('removes a content and the file that was sent', async () => {
    const running = await startContents();
    const bytes = await imageOf(running.folder, 'one');
    await running.put('a', { bytes, type: 'application/octet-stream' });
    expect((await running.delete('a')).status).toBe(204);
    expect(await running.title('/a')).toBe(404);
    await waitFor(() => expect(own(running.folder)).toEqual(['contents.json']));
    expect(manifestOf(running.folder)).toEqual([]);
  });

  test('keeps a snapshot that was put by its path', async () => {
    const running = await startContents();
    await running.put('a', { body: { snapshot: 'one.json' } });
    await running.delete('a');
    expect(readdirSync(running.folder)).toContain('one.json');
  });

  test('of the first content is a 409, and of an unknown one a 404', async () => {
    const running = await startContents({ given: ['main', 'other'] });
    const first = await running.delete('main');
    expect([first.status, first.json().error.message]).toEqual([
      409,
      '"main" is the first content, which answers requests that name none: it cannot be deleted',
    ]);
    const unknown = await running.delete('nothing');
    expect([unknown.status, unknown.json().error.message]).toEqual([404, 'There is no content "nothing"']);
    expect((await running.delete('other')).status).toBe(204);
    expect(await running.title('/other')).toBe(404);
  });
});

describe('the base of a preview', () => {
  test.each(['given', 'put'])('that is %s is not deleted while the preview is being put', async (origin) => {
    const running = await startContents({ given: origin === 'given' ? ['main', 'base'] : ['main'] });
    if (origin === 'put') await running.put('base', { body: { snapshot: 'one.json' } });
    const { begun, finish } = holdManifest();
    const put = running.put('pr', { body: { base: 'base' } });
    await begun;
    const deleted = running.delete('base');
    await running.list();
    finish();
    expect((await put).status).toBe(201);
    const { status, json } = await deleted;
    expect([status, json().error.message]).toEqual([409, '"base" is the base of previews (pr): delete them first']);
    expect(await running.title('/pr')).toBe(origin === 'given' ? 'base' : 'one');
  });

  test('that is being deleted gets no preview', async () => {
    const running = await startContents();
    await running.put('base', { body: { snapshot: 'one.json' } });
    const { begun, finish } = holdManifest();
    const deleted = running.delete('base');
    await begun;
    const put = running.put('pr', { body: { base: 'base' } });
    await running.list();
    finish();
    expect((await deleted).status).toBe(204);
    const { status, json } = await put;
    expect([status, json().error.message]).toEqual([400, 'base: there is no content "base"']);
    expect(manifestOf(running.folder)).toEqual([]);
  });
});

test('contents that are replaced or deleted are collected', async () => {
  const running = await startContents();
  const left: WeakRef<object>[] = [];
  const use = async (snapshot: string) => {
    await running.put('a', { body: { snapshot } });
    for (let i = 0; i < 3; i++) await running.title('/a');
    left.push(new WeakRef(running.contents.get('a')!.content!));
  };
  for (let i = 0; i < caseCount(10, 4); i++) {
    await use('one.json');
    await use('two.json');
    await running.delete('a');
    await use('one.json');
  }
  await running.delete('a');
  // lets timers and replies that hold the last ones end
  for (let i = 0; i < 10; i++) {
    await setImmediate();
    gc!();
  }
  expect(left.filter((content) => content.deref() !== undefined).length).toBeLessThanOrEqual(2);
});

describe('a restart', () => {
  test('serves what was put, with tokens and lifetime', async () => {
    const folder = folderOfSnapshots();
    const before = await startContents({ folder });
    const tokens = [{ name: 'x', sha256: sha256('x'), type: 'read-only' }];
    await before.put('a', { body: { snapshot: 'one.json', tokens, lifetime: 1000 } });
    await before.put('b', { bytes: await imageOf(folder, 'two'), type: 'application/octet-stream' });
    const listed = await before.list();
    await stopAll();
    const after = await startContents({ folder });
    expect(await after.title('/a')).toBe('one');
    expect(await after.title('/b')).toBe('two');
    const withoutAges = (each: Record<string, unknown>) => ({ ...each, age: 0, lastUsed: null, lifetimeLeft: 0 });
    expect((await after.list()).map(withoutAges)).toEqual(listed.map(withoutAges));
    expect((await after.list())[1].lifetimeLeft).toBeGreaterThan(900);
    const headers = { Authorization: 'Bearer x' };
    expect((await askServer(after.port, '/a/api/things', { headers })).status).toBe(200);
    expect((await askServer(after.port, '/b/api/things', { headers })).status).toBe(401);
  });

  test('removes what is left of a PUT that did not end', async () => {
    const folder = folderOfSnapshots();
    await startContents({ folder });
    await stopAll();
    for (const name of ['a.123.snapshot', '.a.123.snapshot.1-2']) writeFileSync(join(folder, '.lectern', name), 'x');
    await startContents({ folder });
    expect(own(folder)).toEqual([]);
  });

  test('reports a content that no longer loads, and answers 503 for it', async () => {
    const folder = folderOfSnapshots();
    await (await startContents({ folder })).put('a', { body: { snapshot: 'one.json' } });
    await stopAll();
    renameSync(join(folder, 'one.json'), join(folder, 'moved.json'));
    const running = await startContents({ folder });
    const error = 'snapshot: "one.json" does not exist in contents.folder';
    expect(running.lines).toContainEqual(
      expect.objectContaining({ level: 50, content: 'a', msg: `a content is not served: ${error}` }),
    );
    expect(await running.title('/a')).toBe(503);
    expect(await running.title('')).toBe('main');
    expect(await running.list()).toMatchObject([{ name: 'main' }, { name: 'a', version: null, entries: null, error }]);
    expect((await running.put('a', { body: { snapshot: 'two.json' } })).status).toBe(200);
    expect(await running.title('/a')).toBe('two');
  });

  test('serves a content by its path that was put with hosts, and warns', async () => {
    const folder = folderOfSnapshots();
    await (await startContents({ folder })).put('a', { body: { snapshot: 'one.json' } });
    await stopAll();
    const hosts = ['localhost', 'www.example.org'];
    const stored = { format: 1, contents: manifestOf(folder).map((put: object) => ({ ...put, hosts })) };
    writeFileSync(join(folder, '.lectern/contents.json'), JSON.stringify(stored));
    const running = await startContents({ folder });
    expect(await running.title('/a')).toBe('one');
    for (const host of [...hosts, 'a.example.org']) expect(await running.title('', host)).toBe('main');
    const message = 'a content was put with hosts, which do not choose it any more: it is served at /a/. ';
    expect(running.lines).toContainEqual(
      expect.objectContaining({ level: 40, content: 'a', hosts, msg: `${message}Put it again without hosts` }),
    );
  });

  test.each([
    ['v1', { prefix: '/v1' }, '"v1" cannot name a content: the server uses the path /v1'],
    ['things', { prefix: '' }, '"things" cannot name a content: it is a route of "main"'],
  ])('does not let a content %s take the routes of %j', async (name, settings, problem) => {
    const folder = folderOfSnapshots();
    expect((await (await startContents({ folder })).put(name, { body: { snapshot: 'one.json' } })).status).toBe(201);
    await stopAll();
    const running = await startContents({ folder, settings });
    const { status, json } = await askServer(running.port, `${settings.prefix}/things`);
    expect([status, json().data[0].title]).toEqual([200, 'main']);
    expect(running.lines).toContainEqual(
      expect.objectContaining({ level: 50, msg: `a content is not served: ${problem}` }),
    );
    expect((await running.delete(name)).status).toBe(204);
    expect(manifestOf(folder)).toEqual([]);
    expect((await running.delete(name)).status).toBe(404);
  });

  test('reports a content whose name is now given at the start', async () => {
    const folder = folderOfSnapshots();
    await (await startContents({ folder })).put('a', { body: { snapshot: 'one.json' } });
    await stopAll();
    const running = await startContents({ folder, given: ['main', 'a'] });
    expect(await running.title('/a')).toBe('a');
    expect(running.lines).toContainEqual(
      expect.objectContaining({ msg: 'a content is not served: "a" is also given at the start' }),
    );
    expect((await running.delete('a')).status).toBe(204);
    expect([await running.title('/a'), manifestOf(folder)]).toEqual([404, [expect.objectContaining({ name: 'a' })]]);
    expect((await running.delete('a')).status).toBe(204);
    expect(manifestOf(folder)).toEqual([]);
  });

  test.each(['{', '{"format":0,"contents":[]}', '{"format":1,"contents":[{"name":"a"}]}'])(
    'fails with the path of a damaged manifest: %s',
    async (text) => {
      const folder = folderOfSnapshots();
      mkdirSync(join(folder, '.lectern'));
      writeFileSync(join(folder, '.lectern/contents.json'), text);
      await expect(startContents({ folder })).rejects.toThrow(ConfigError);
      await expect(startContents({ folder })).rejects.toThrow(/contents\.json cannot be read: .*Remove it to start/s);
    },
  );

  test('refuses a manifest of a later format, and does not advise to remove it', async () => {
    const folder = folderOfSnapshots();
    mkdirSync(join(folder, '.lectern'));
    writeFileSync(join(folder, '.lectern/contents.json'), '{"format":2,"contents":{}}');
    await expect(startContents({ folder })).rejects.toThrow(
      /contents\.json has the format 2, and this version of Lectern reads up to 1\. Use a newer version$/,
    );
  });

  test('fails without its folder', async () => {
    const folder = join(temporaryFolder(), 'missing');
    await expect(startContents({ folder })).rejects.toThrow(/^contents\.folder: .*missing cannot be used: ENOENT/);
  });
});

describe('the end of a lifetime', () => {
  test('removes a content with the file that was sent', async () => {
    const running = await startContents();
    const bytes = await imageOf(running.folder, 'one');
    await running.put('a', { bytes, type: 'application/octet-stream', query: '?lifetime=60' });
    await running.put('b', { body: { snapshot: 'two.json', lifetime: 60 } });
    await running.put('c', { body: { snapshot: 'two.json', lifetime: 120 } });
    await running.stored.removeExpired(Date.now() + 61_000);
    expect((await running.list()).map(({ name }) => name)).toEqual(['main', 'c']);
    await waitFor(() => expect(own(running.folder)).toEqual(['contents.json']));
    expect(readdirSync(running.folder)).toContain('two.json');
  });

  test('leaves a content that is put again while another one is removed', async () => {
    const folder = folderOfSnapshots();
    const before = await startContents({ folder });
    for (const name of ['a', 'b']) await before.put(name, { body: { snapshot: 'one.json', lifetime: 60 } });
    await stopAll();
    // "a" is in the folder alone now
    const running = await startContents({ folder, given: ['main', 'a'] });
    let put: ReturnType<typeof running.put> | undefined;
    vi.spyOn(ContentsFolder.prototype, 'remove').mockImplementationOnce(async () => {
      put = running.put('b', { body: { snapshot: 'two.json' } });
      await put;
    });
    await running.stored.removeExpired(Date.now() + 61_000);
    expect((await put)?.status).toBe(200);
    expect(await running.title('/b')).toBe('two');
    expect(manifestOf(running.folder)).toMatchObject([{ name: 'b', snapshot: 'two.json' }]);
  });

  test('comes by itself', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
    try {
      const running = await startContents();
      await running.put('a', { body: { snapshot: 'one.json', lifetime: 1 } });
      expect(await running.title('/a')).toBe('one');
      vi.advanceTimersByTime(2000);
      while ((await running.title('/a')) !== 404);
      await stopAll();
    } finally {
      vi.useRealTimers();
    }
  });

  test('that passed while the server was down removes it at the start', async () => {
    const folder = folderOfSnapshots();
    const before = await startContents({ folder });
    const bytes = await imageOf(folder, 'one');
    await before.put('a', { bytes, type: 'application/octet-stream', query: '?lifetime=1' });
    await stopAll();
    vi.useFakeTimers({ now: Date.now() + 5000, toFake: ['Date'] });
    try {
      const after = await startContents({ folder });
      expect(await after.list()).toHaveLength(1);
      expect(own(folder)).toEqual(['contents.json']);
    } finally {
      vi.useRealTimers();
    }
  });
});
