import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { build } from '../../src/cli/build.ts';
import { check } from '../../src/cli/check.ts';
import { open } from '../../src/index.ts';
import { readConfig, readSources } from '../../src/model/settings/read-config.ts';
import { exportArchive } from '../media/exports.ts';
import { temporaryFolder } from '../support/folders.ts';
import { guideFolder } from '../support/guide.ts';
import { makeImageFolder, partsOf, writeParts } from '../support/images.ts';

makeImageFolder();

const config = (flags: object = {}) => readConfig({ flags });

let folder: string;
let printed: MockInstance;
let warned: MockInstance;

beforeEach(async () => {
  folder = temporaryFolder();
  printed = vi.spyOn(console, 'log').mockImplementation(() => {});
  warned = vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

const linesOf = (spy: MockInstance) => spy.mock.calls.map(([line]) => String(line)).join('\n');

test('writes an image that opens, and says what it wrote', async () => {
  const out = join(folder, 'guide.lectern');
  await build(guideFolder, out, config());
  const { summary } = await open(out);
  expect(linesOf(printed)).toMatch(
    /^Wrote .*guide\.lectern in [\d.]+ s: [\d.]+ MiB in [\d,]+ sections, document dialect/,
  );
  expect(linesOf(printed)).toContain(summary.version);
  expect(readdirSync(folder)).toEqual(['guide.lectern']);
});

test('replaces an image, and nothing else', async () => {
  const out = join(folder, 'guide.lectern');
  await build(guideFolder, out, config({ dialect: 'strapi' }));
  await build(guideFolder, out, config({ dialect: 'document' }));
  expect((await open(out)).summary.dialect).toBe('document');
  const other = join(folder, 'notes.txt');
  writeFileSync(other, 'mine');
  await expect(build(guideFolder, other, config())).rejects.toThrow(`${other} exists and is not an image`);
  expect(readFileSync(other, 'utf8')).toBe('mine');
});

test('leaves no file where it cannot write', async () => {
  const out = join(folder, 'missing', 'guide.lectern');
  await expect(build(guideFolder, out, config())).rejects.toThrow('ENOENT');
  expect(existsSync(dirname(out))).toBe(false);
  mkdirSync(join(folder, 'taken.lectern'));
  await expect(build(guideFolder, join(folder, 'taken.lectern'), config())).rejects.toThrow('is not an image');
  expect(readdirSync(folder)).toEqual(['taken.lectern']);
});

test('copies the pictures of an archive to a folder beside the image', async () => {
  const archive = join(folder, 'export.tar.gz');
  const files = [
    { url: '/uploads/cat.png', hash: 'cat', ext: '.png' },
    { url: '/uploads/lost.png', hash: 'lost', ext: '.png' },
  ];
  writeFileSync(archive, await exportArchive({ files, assets: { 'cat.png': 'picture', 'other.png': 'unused' } }));
  const out = join(folder, 'site.lectern');
  await build(archive, out, config({ cacheDir: join(folder, 'cache') }));
  expect(readdirSync(join(folder, 'site.uploads'))).toEqual(['cat.png']);
  expect(linesOf(printed)).toContain('Copied 1 uploaded file to');
  expect(linesOf(warned)).toContain('1 of 2 uploaded files are not in the export: lost.png');
  const content = await open(out, { uploads: true });
  expect(content.hasUploads).toBe(true);
  const beside = join(folder, 'site.uploads');
  expect(await content.uploadsSettled).toEqual([`1 of 2 uploaded files are not in ${beside}: lost.png`]);
});

test('copies no pictures with --no-uploads', async () => {
  const archive = join(folder, 'export.tar.gz');
  const files = [{ url: '/uploads/cat.png', hash: 'cat', ext: '.png' }];
  writeFileSync(archive, await exportArchive({ files, assets: { 'cat.png': 'picture' } }));
  await build(archive, join(folder, 'site.lectern'), config({ uploads: false }));
  expect(existsSync(join(folder, 'site.uploads'))).toBe(false);
});

test('check verifies the SHA-256 of an image', async () => {
  const out = join(folder, 'guide.lectern');
  await build(guideFolder, out, config());
  await check(out, readSources({}));
  expect(linesOf(printed)).toMatch(/entries, \d+ content types/);
  const parts = partsOf(readFileSync(out));
  const wrong = writeParts({ ...parts, manifest: { ...parts.manifest, sha256: '0'.repeat(64) } });
  await expect(check(wrong, readSources({}))).rejects.toThrow('SHA-256');
});
