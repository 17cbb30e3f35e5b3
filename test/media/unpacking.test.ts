import { chmod, mkdir, readdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { CacheError, cacheFolder, inCache } from '../../src/http/files/cache-folder.ts';
import { type Content, open } from '../../src/index.ts';
import { temporaryFolder } from '../support/folders.ts';
import { askServer } from '../support/http.ts';
import { start, stopServersAfterEach } from '../support/server.ts';
import { type ExportOptions, exportArchive, exportFilesOf, writeArchive } from './exports.ts';

/** The uploaded files of an archive, unpacked into the cache folder. */

stopServersAfterEach();

const picture = { url: '/uploads/cat_0123456789.png', hash: 'cat_0123456789', ext: '.png' };
const formats = {
  thumbnail: { url: '/uploads/thumbnail_cat_0123456789.png', hash: 'thumbnail_cat_0123456789', ext: '.png' },
};
const assets = { 'cat_0123456789.png': 'a cat', 'thumbnail_cat_0123456789.png': 'a small cat' };
const cats: ExportOptions = { files: [{ ...picture, formats }], assets };

/** Opens an export and waits until its files are unpacked. */
async function unpacked(path: string, cacheDir: string): Promise<{ content: Content; warnings: string[] }> {
  const content = await open(path, { uploads: true, cacheDir });
  return { content, warnings: await content.uploadsSettled };
}

/** The names in the only folder of a cache, without the marks of its users. */
async function unpackedNames(cacheDir: string): Promise<string[]> {
  const [folder, ...others] = await readdir(cacheDir);
  expect(others).toEqual([]);
  return (await readdir(join(cacheDir, folder))).filter((name) => !name.startsWith('.used-by-')).sort();
}

async function onlyFolder(cacheDir: string): Promise<string> {
  return join(cacheDir, (await readdir(cacheDir))[0]);
}

describe('unpacking', () => {
  test('unpacks the files and formats that entries name, and nothing else', async () => {
    const cacheDir = temporaryFolder();
    const path = await writeArchive({
      files: [{ ...picture, formats }],
      assets: { ...assets, 'stranger.html': '<script>', 'cat_0123456789.png.exe': 'x', '._cat_0123456789.png': 'x' },
    });
    expect((await unpacked(path, cacheDir)).warnings).toEqual([]);
    expect(await unpackedNames(cacheDir)).toEqual(['.complete.json', ...Object.keys(assets)]);
    expect(await readFile(join(await onlyFolder(cacheDir), 'cat_0123456789.png'), 'utf8')).toBe('a cat');
  });

  test('unpacks no links, folders and paths outside, whatever entries name', async () => {
    const cacheDir = temporaryFolder();
    const names = [
      '../evil.png',
      '/etc/evil.png',
      'a/../../evil.png',
      '..',
      '.',
      '',
      '.hidden',
      'nul\0.png',
      'back\\slash.png',
    ];
    const path = await writeArchive({
      files: [
        picture,
        ...names.map((name) => ({ url: `/uploads/${name}`, hash: name, ext: '' })),
        { hash: 'link_0123456789', ext: '.png' },
      ],
      assets,
      others: [
        { name: 'assets/uploads/../evil.png', type: 'file', size: 0 },
        { name: 'assets/uploads/link_0123456789.png', type: 'symlink', linkname: '/etc/passwd' },
        { name: 'assets/uploads/cat_0123456789.png', type: 'link', linkname: '/etc/passwd' },
      ],
    });
    const { warnings } = await unpacked(path, cacheDir);
    expect(await unpackedNames(cacheDir)).toEqual(['.complete.json', 'cat_0123456789.png']);
    expect(await readFile(join(await onlyFolder(cacheDir), 'cat_0123456789.png'), 'utf8')).toBe('a cat');
    expect(warnings).toEqual(['1 of 2 uploaded files are not in the export: link_0123456789.png']);
  });

  test('unpacks no files of other providers', async () => {
    const cacheDir = temporaryFolder();
    const remote = { ...picture, url: 'https://bucket.example.net/cat_0123456789.png' };
    const { warnings } = await unpacked(await writeArchive({ files: [remote], assets }), cacheDir);
    expect(warnings).toEqual([]);
    expect(await readdir(cacheDir)).toEqual([]);
  });

  test('warns of an export without assets', async () => {
    const { warnings } = await unpacked(await writeArchive({ files: [picture] }), temporaryFolder());
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/none of the 1 uploaded files is in the export .*--uploads/);
  });

  test('keeps the modification times of the archive, so that validators are equal everywhere', async () => {
    const path = await writeArchive(cats);
    const etags: (string | undefined)[] = [];
    for (const cacheDir of [temporaryFolder(), temporaryFolder()]) {
      const { content } = await unpacked(path, cacheDir);
      const { port } = await start({}, content);
      etags.push((await askServer(port, picture.url)).headers.etag);
    }
    expect(etags[0]).toBeDefined();
    expect(etags[1]).toBe(etags[0]);
  });
});

describe('the cache', () => {
  test('is reused by the next start', async () => {
    const cacheDir = temporaryFolder();
    const path = await writeArchive(cats);
    await unpacked(path, cacheDir);
    const file = join(await onlyFolder(cacheDir), 'cat_0123456789.png');
    const before = await stat(file);
    const { content } = await unpacked(path, cacheDir);
    expect((await stat(file)).ino).toBe(before.ino);
    const { port } = await start({}, content);
    expect((await askServer(port, picture.url)).body.toString()).toBe('a cat');
  });

  test('is replaced for a changed archive', async () => {
    const cacheDir = temporaryFolder();
    const path = await writeArchive(cats);
    await unpacked(path, cacheDir);
    await writeFile(path, await exportArchive({ ...cats, assets: { ...assets, 'cat_0123456789.png': 'A CAT' } }));
    const { content } = await unpacked(path, cacheDir);
    const { port } = await start({}, content);
    expect((await askServer(port, picture.url)).body.toString()).toBe('A CAT');
    expect(await readdir(cacheDir)).toHaveLength(2);
  });

  test.each([
    ['the unpacking was not finished', async (folder: string) => rm(join(folder, '.complete.json'))],
    ['a file is cut', async (folder: string) => truncate(join(folder, 'cat_0123456789.png'), 2)],
    ['a file is missing', async (folder: string) => rm(join(folder, 'cat_0123456789.png'))],
    [
      'a file is a link',
      async (folder: string) => {
        await rm(join(folder, 'cat_0123456789.png'));
        await symlink('/etc/passwd', join(folder, 'cat_0123456789.png'));
      },
    ],
    ['the list of files is no JSON', async (folder: string) => writeFile(join(folder, '.complete.json'), '{"cat')],
  ])('is unpacked anew if %s', async (_what, harm) => {
    const cacheDir = temporaryFolder();
    const path = await writeArchive(cats);
    await unpacked(path, cacheDir);
    const folder = await onlyFolder(cacheDir);
    await harm(folder);
    const { content, warnings } = await unpacked(path, cacheDir);
    expect(warnings).toEqual([]);
    const { port } = await start({}, content);
    expect((await askServer(port, picture.url)).body.toString()).toBe('a cat');
    expect(await unpackedNames(cacheDir)).toEqual(['.complete.json', ...Object.keys(assets)]);
  });

  test('allows concurrent unpacking and keeps no partial files', async () => {
    const cacheDir = temporaryFolder();
    const path = await writeArchive(cats);
    const all = await Promise.all(Array.from({ length: 4 }, () => unpacked(path, cacheDir)));
    expect(all.flatMap(({ warnings }) => warnings)).toEqual([]);
    expect(await unpackedNames(cacheDir)).toEqual(['.complete.json', ...Object.keys(assets)]);
  });

  test('is inaccessible to other users', async () => {
    const cacheDir = join(temporaryFolder(), 'new');
    await unpacked(await writeArchive(cats), cacheDir);
    const folder = await onlyFolder(cacheDir);
    const modes = await Promise.all([cacheDir, folder, join(folder, 'cat_0123456789.png')].map((path) => stat(path)));
    expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o700, 0o600]);
  });
});

describe('the default folder', () => {
  const uid = String(process.getuid?.() ?? 'cache');
  const { TMPDIR } = process.env;
  afterEach(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });

  test('belongs to the user, in the temporary folder, and is inaccessible to others', async () => {
    process.env.TMPDIR = temporaryFolder();
    const folder = await cacheFolder(undefined);
    expect(folder).toBe(join(process.env.TMPDIR, `lectern-${uid}`));
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await chmod(folder, 0o777);
    await cacheFolder(undefined);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test('is rejected if it is a symbolic link', async () => {
    process.env.TMPDIR = temporaryFolder();
    const elsewhere = temporaryFolder();
    await symlink(elsewhere, join(process.env.TMPDIR, `lectern-${uid}`));
    await expect(cacheFolder(undefined)).rejects.toThrow('is not a folder of this user');
  });
});

test('a full disk is reported as such', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC', syscall: 'write' });
  const failing = inCache('/var/cache/lectern', () => Promise.reject(full));
  await expect(failing).rejects.toThrow(
    new CacheError('/var/cache/lectern: cannot be written: the disk is full. Set cacheDir (--cache) to another folder'),
  );
});

describe('content is served without files if unpacking fails', () => {
  test('because the cache is a file', async () => {
    const cacheDir = join(temporaryFolder(), 'file');
    await writeFile(cacheDir, '');
    const { content, warnings } = await unpacked(await writeArchive(cats), cacheDir);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`${cacheDir}: cannot be written`);
    expect(warnings[0]).toContain('--cache');
    expect(content.summary.warnings).toEqual([{ kind: 'uploads', count: 1, message: warnings[0] }]);
    const { port } = await start({}, content);
    expect((await askServer(port, picture.url)).status).toBe(404);
    expect((await askServer(port, '/_ready')).status).toBe(200);
  });

  test('because a folder of the cache is a symbolic link', async () => {
    const cacheDir = temporaryFolder();
    const path = await writeArchive(cats);
    await unpacked(path, cacheDir);
    const folder = await onlyFolder(cacheDir);
    const elsewhere = temporaryFolder();
    await rename(folder, join(elsewhere, 'moved'));
    await symlink(join(elsewhere, 'moved'), folder);
    const { warnings } = await unpacked(path, cacheDir);
    expect(warnings[0]).toContain('is not a folder of this user');
  });

  test('because the archive is replaced meanwhile', async () => {
    const path = await writeArchive(cats);
    const cacheDir = temporaryFolder();
    const content = await open(path, { uploads: true, cacheDir });
    await writeFile(path, await exportArchive({ ...cats, assets: { ...assets, 'cat_0123456789.png': 'another' } }));
    const warnings = await content.uploadsSettled;
    // either everything was unpacked before, or nothing of the other archive is present
    if (warnings.length > 0) expect(warnings[0]).toContain('changed during the read');
    const [folder] = await readdir(cacheDir);
    const names = folder === undefined ? [] : await readdir(join(cacheDir, folder));
    for (const name of names.filter((name) => name.startsWith('cat'))) {
      expect(await readFile(join(cacheDir, folder, name), 'utf8')).toBe('a cat');
    }
    expect(names.filter((name) => name.startsWith('.part'))).toEqual([]);
  });
});

test('an unpacked export is served in place', async () => {
  const folder = temporaryFolder();
  for (const [name, bytes] of exportFilesOf({ ...cats, assets: { ...assets, 'stranger.png': 'x' } })) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
  const cacheDir = join(temporaryFolder(), 'unused');
  const { content, warnings } = await unpacked(folder, cacheDir);
  expect(warnings).toEqual([]);
  const { port } = await start({}, content);
  expect((await askServer(port, picture.url)).body.toString()).toBe('a cat');
  expect((await askServer(port, '/uploads/stranger.png')).status).toBe(404);
  await expect(stat(cacheDir)).rejects.toThrow('ENOENT');
});

test('a request waits for its file, even the last one of the archive', async () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}.bin`, Buffer.alloc(100_000, i)]));
  const files = Object.keys(many).map((name) => ({ url: `/uploads/${name}` }));
  const content = await open(await writeArchive({ files, assets: many }), {
    uploads: true,
    cacheDir: temporaryFolder(),
  });
  const { port } = await start({}, content);
  const [last, first, none] = await Promise.all(
    ['/uploads/f29.bin', '/uploads/f0.bin', '/uploads/none.bin'].map((path) => askServer(port, path)),
  );
  expect([last.status, last.body.length, last.body[0]]).toEqual([200, 100_000, 29]);
  expect([first.status, first.body[0]]).toEqual([200, 0]);
  expect(none.status).toBe(404);
});
