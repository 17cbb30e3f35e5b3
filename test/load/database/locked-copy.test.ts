/** On a Node without `node:sqlite`, the lock is not to be had, and the tests say so. */
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyDatabase, copyUnderLock } from '../../../src/load/database/sqlite/copy-database.ts';
import { nodeSqlite } from '../../../src/load/database/sqlite/drivers.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { commitCounters, counterIn, createCounters } from './counters.ts';

const sqlite = nodeSqlite();

/** A database and an outdated copy of it. */
function create() {
  const folder = temporaryFolder();
  const path = join(folder, 'data.db');
  const copy = join(folder, 'copy.db');
  const database = createCounters(path);
  copyFileSync(path, copy);
  commitCounters(database, 1);
  return { folder, path, copy, database };
}

test('copies under a lock where Node has SQLite', () => {
  const { path, copy, database } = create();
  expect(copyUnderLock(path, copy)).toBe(sqlite !== null);
  expect(readFileSync(copy).equals(readFileSync(path))).toBe(sqlite !== null);
  database.close();
});

test('does not copy while a writer commits, and lets it commit afterwards', () => {
  const { path, copy, database } = create();
  database.close();
  const writer = sqlite && new sqlite.DatabaseSync(path);
  writer?.exec('BEGIN EXCLUSIVE; UPDATE first SET counter = 2');
  expect(copyUnderLock(path, copy)).toBe(false);
  writer?.exec('COMMIT');
  expect(copyUnderLock(path, copy)).toBe(sqlite !== null);
  writer?.exec('UPDATE first SET counter = 3');
  writer?.close();
});

test('a lock gets a copy of a database that is written to all the time', async () => {
  const { path, folder, database } = create();
  let counter = 2;
  const copyFile = async (from: string, to: string) => {
    copyFileSync(from, to);
    commitCounters(database, counter++);
  };
  const copying = copyDatabase(path, join(folder, 'copies'), { copyFile, patience: 2_000 });
  if (sqlite) expect(await counterIn((await copying).path)).toBe(counter - 1);
  else await expect(copying).rejects.toThrow('written to all the time');
  database.close();
});
