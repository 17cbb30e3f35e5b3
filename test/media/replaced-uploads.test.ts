import { mkdir, readdir, unlink, writeFile } from 'node:fs/promises';
import { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { beginUse, endUse } from '../../src/http/files/cache-folder.ts';
import { RequestsInProgress } from '../../src/http/files/open-uploads.ts';
import { type Content, open } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { databaseOf, unpackProject } from '../load/project/recorded-projects.ts';
import { StrapiDatabase } from '../source/project/strapi-database.ts';
import { temporaryFolder } from '../support/folders.ts';
import { askServer } from '../support/http.ts';
import { start, stopServersAfterEach } from '../support/server.ts';
import { exportArchive, writeArchive } from './exports.ts';

stopServersAfterEach();

const catOf = (text: string) => ({
  files: [{ url: '/uploads/cat_0123456789.png', hash: 'cat_0123456789', ext: '.png' }],
  assets: { 'cat_0123456789.png': text },
});

async function openArchive(text: string): Promise<{ content: Content; path: string; cacheDir: string }> {
  const cacheDir = temporaryFolder();
  const path = await writeArchive(catOf(text));
  const content = await open(path, { uploads: true, cacheDir });
  await content.uploadsSettled;
  return { content, path, cacheDir };
}

/** Waits until a folder has that many entries. */
async function hasEntries(folder: string, count: number): Promise<void> {
  while ((await readdir(folder)).length !== count) await setTimeout(10);
}

describe('the uploaded files of an archive that takes the place of another', () => {
  test('are served, and those of the other are removed', async () => {
    const { content, path, cacheDir } = await openArchive('an old cat');
    const { port } = await start({}, content);
    const [old] = await readdir(cacheDir);
    await writeFile(path, await exportArchive(catOf('a new cat')));
    expect(content.history.replace(await loadSnapshot(path))).toBe(false);
    await content.uploadsSettled;
    expect((await askServer(port, '/uploads/cat_0123456789.png')).body.toString()).toBe('a new cat');
    await hasEntries(cacheDir, 1);
    expect(await readdir(cacheDir)).not.toContain(old);
  });

  test('are served after further changes of the content', async () => {
    const { content, path } = await openArchive('an old cat');
    const { port } = await start({}, content);
    content.apply({ entities: [], links: [] });
    await writeFile(path, await exportArchive(catOf('a new cat')));
    expect(content.history.replace(await loadSnapshot(path))).toBe(false);
    content.apply({ entities: [], links: [] });
    await content.uploadsSettled;
    expect((await askServer(port, '/uploads/cat_0123456789.png')).body.toString()).toBe('a new cat');
  });

  test('stay where they are if the archive is the same', async () => {
    const { content, path, cacheDir } = await openArchive('a cat');
    const before = await readdir(cacheDir);
    content.history.replace(await loadSnapshot(path));
    await content.uploadsSettled;
    expect(await readdir(cacheDir)).toEqual(before);
  });

  test('stay while another content of this process uses them', async () => {
    const { content, path, cacheDir } = await openArchive('an old cat');
    const other = await open(path, { uploads: true, cacheDir });
    await other.uploadsSettled;
    await writeFile(path, await exportArchive(catOf('a new cat')));
    content.history.replace(await loadSnapshot(path));
    await content.uploadsSettled;
    await hasEntries(cacheDir, 2);
    other.history.replace(await loadSnapshot(path));
    await hasEntries(cacheDir, 1);
  });
});

describe('a folder whose use ends', () => {
  const marked = async (...marks: string[]) => {
    const outer = temporaryFolder();
    const folder = join(outer, 'uploads');
    await mkdir(folder);
    await beginUse(folder);
    const [own] = await readdir(folder);
    for (const mark of marks) await writeFile(join(folder, mark), '');
    return { outer, folder, own };
  };

  test('is removed', async () => {
    const { outer, folder } = await marked();
    await endUse(folder);
    expect(await readdir(outer)).toEqual([]);
  });

  test('stays while another running process has marked it', async () => {
    const { outer, folder, own } = await marked();
    await writeFile(join(folder, own.replace(`@${process.pid}@`, `@${process.ppid}@`)), '');
    await endUse(folder);
    expect(await readdir(outer)).toEqual(['uploads']);
  });

  test('stays while a process of another machine has marked it', async () => {
    const { outer, folder } = await marked('.used-by-elsewhere@1@0');
    await endUse(folder);
    expect(await readdir(outer)).toEqual(['uploads']);
  });

  test('is removed if the process that marked it has ended', async () => {
    const { outer, folder, own } = await marked();
    // above the highest process id of Linux
    await writeFile(join(folder, own.replace(`@${process.pid}@`, '@4194305@')), '');
    await endUse(folder);
    expect(await readdir(outer)).toEqual([]);
  });

  test('stays for a use that begins meanwhile', async () => {
    for (let turns = 0; turns < 40; turns++) {
      const { folder } = await marked('cat.png');
      const ended = endUse(folder);
      for (let turn = 0; turn < turns; turn++) await setImmediate();
      await beginUse(folder);
      await writeFile(join(folder, 'dog.png'), '');
      await ended;
      const names = await readdir(folder);
      expect(names.filter((name) => name !== 'cat.png')).toEqual([expect.stringMatching(/^\.used-by-/), 'dog.png']);
      await endUse(folder);
    }
  });

  test('is not used before a process that removes it has ended that', async () => {
    const { folder, own } = await marked();
    await endUse(folder);
    await mkdir(folder);
    const claim = join(folder, own.replace('.used-by-', '.removed-by-'));
    await writeFile(claim, '');
    let hasBegun = false;
    const begun = beginUse(folder).then(() => (hasBegun = true));
    await setTimeout(200);
    expect(hasBegun).toBe(false);
    await unlink(claim);
    await begun;
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^\.used-by-/)]);
    await endUse(folder);
  });

  test('is used at once if the process that removed it has died', async () => {
    const { outer, folder, own } = await marked();
    await endUse(folder);
    await mkdir(folder);
    await writeFile(
      join(folder, own.replace('.used-by-', '.removed-by-').replace(`@${process.pid}@`, '@4194305@')),
      '',
    );
    await beginUse(folder);
    await endUse(folder);
    expect(await readdir(outer)).toEqual([]);
  });
});

test('open requests have ended when the last of them is closed, whatever begins meanwhile', async () => {
  const response = () => new ServerResponse({ method: 'GET' } as never);
  const requests = new RequestsInProgress();
  const [first, second, later] = [response(), response(), response()];
  requests.add(first);
  requests.add(second);
  let hasEnded = false;
  const ended = requests.ended().then(() => (hasEnded = true));
  requests.add(later);
  first.emit('close');
  await setImmediate();
  expect(hasEnded).toBe(false);
  second.emit('close');
  await ended;
});

describe('the uploaded files of a Strapi project', () => {
  const openProject = async (settings: object) => {
    const folder = unpackProject('museum');
    const database = new StrapiDatabase(databaseOf(folder));
    const hash = 'cat_0123456789';
    database.update('files', database.select('files')[0].id, { url: `/uploads/${hash}.png`, hash });
    database.close();
    const uploads = join(folder, 'public/uploads');
    await mkdir(uploads, { recursive: true });
    const file = join(uploads, `${hash}.png`);
    await writeFile(file, 'old');
    const { port } = await start({}, await open(folder, { uploads: true, ...settings }));
    const ask = (headers = {}) => askServer(port, `/uploads/${hash}.png`, { headers });
    return { file, ask };
  };

  test('are asked for again after a minute, because Strapi replaces them under their names', async () => {
    const { file, ask } = await openProject({});
    const { headers, body } = await ask();
    expect([body.toString(), headers['cache-control']]).toEqual(['old', 'public, max-age=60']);
    const condition = { 'If-None-Match': headers.etag! };
    expect((await ask(condition)).status).toBe(304);
    await writeFile(file, 'replaced');
    const replaced = await ask(condition);
    expect([replaced.status, replaced.body.toString()]).toEqual([200, 'replaced']);
  });

  test('are kept for as long as uploadsMaxAge says', async () => {
    const { ask } = await openProject({ uploadsMaxAge: 86_400 });
    expect((await ask()).headers['cache-control']).toBe('public, max-age=86400, immutable');
  });
});
