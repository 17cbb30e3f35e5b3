import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { listFiles } from '../../src/load/files.ts';
import { temporaryFolder } from '../support/folders.ts';

const folder = temporaryFolder();
mkdirSync(join(folder, 'entries'));
writeFileSync(join(folder, 'entries/note.json'), '[]');
writeFileSync(join(folder, 'snapshot.json'), '{}');

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
