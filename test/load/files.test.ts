import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { listFiles } from '../../src/load/files.ts';

const folder = mkdtempSync(join(tmpdir(), 'lectern-files-'));
mkdirSync(join(folder, 'entries'));
writeFileSync(join(folder, 'entries/note.json'), '[]');
writeFileSync(join(folder, 'snapshot.json'), '{}');
afterAll(() => rmSync(folder, { recursive: true }));

const before = process.cwd();
afterEach(() => process.chdir(before));

test.each([
  '.',
  './',
  './.',
  'entries/..',
  `../${basename(folder)}`,
  `.././${basename(folder)}//`,
  folder,
  `${folder}/`,
  `${folder}/entries/../.`,
])('lists the files of a folder written as %s', async (written) => {
  process.chdir(folder);
  expect((await listFiles(written)).files.sort()).toEqual(['entries/note.json', 'snapshot.json']);
});
