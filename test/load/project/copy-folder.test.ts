import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withCopyFolder } from '../../../src/load/project/copy-folder.ts';
import { temporaryFolder } from '../../support/folders.ts';

test('a folder is private and is removed after its use, even if that fails', async () => {
  const parent = temporaryFolder();
  let folder = '';
  const use = async (path: string) => {
    folder = path;
    writeFileSync(join(path, 'copy.db'), 'rows');
    expect(statSync(path).mode & 0o777).toBe(0o700);
    throw new Error('broken');
  };
  await expect(withCopyFolder(use, parent)).rejects.toThrow('broken');
  expect(folder).not.toBe('');
  expect(readdirSync(parent)).toEqual([]);
});

test('old folders of processes that are gone are removed, and no others', async () => {
  const parent = temporaryFolder();
  // no process has a greater id on Linux
  const gone = 4_194_305;
  const names = {
    stale: `lectern-database-${gone}-a`,
    young: `lectern-database-${gone}-b`,
    running: `lectern-database-${process.pid}-c`,
    other: `other-${gone}-d`,
  };
  for (const name of Object.values(names)) mkdirSync(join(parent, name));
  const old = new Date(Date.now() - 7_200_000);
  for (const name of [names.stale, names.running, names.other]) utimesSync(join(parent, name), old, old);
  await withCopyFolder(async () => {}, parent);
  const left = Object.entries(names).filter(([, name]) => existsSync(join(parent, name)));
  expect(left.map(([key]) => key)).toEqual(['young', 'running', 'other']);
});
