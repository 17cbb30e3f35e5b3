import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ProjectCopies } from '../../../src/load/project/project-copy.ts';
import type { StrapiProject } from '../../../src/load/project/project-folder.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { commitCounters, createCounters } from '../database/counters.ts';

const copies = new ProjectCopies();
afterEach(() => copies.close());

/** Reads a value from a new copy. */
async function read(databaseFile: string, sql: string): Promise<unknown> {
  const copy = await copies.open({ databaseFile } as StrapiProject);
  try {
    const [[value]] = copy.database.rows(sql);
    return value;
  } finally {
    copy.close();
  }
}

const counter = 'SELECT counter FROM first WHERE id = 1';

test.each(['delete', 'wal'] as const)('each copy has the last commit, of the journal mode %s', async (journalMode) => {
  const path = join(temporaryFolder(), 'data.db');
  const database = createCounters(path, journalMode);
  for (let i = 1; i <= 5; i++) {
    commitCounters(database, i);
    expect(await read(path, counter)).toBe(i);
  }
  // a statement that fails leaves the next copy as it is
  await expect(read(path, 'SELECT absent FROM last')).rejects.toThrow('no such column');
  database.exec('ALTER TABLE last ADD COLUMN more TEXT DEFAULT 7');
  expect(await read(path, 'SELECT more FROM last')).toBe('7');
  database.exec('DROP TABLE first');
  await expect(read(path, 'SELECT * FROM first')).rejects.toThrow('no such table');
  database.close();
});

test('each copy is that of the file which has the name now', async () => {
  const path = join(temporaryFolder(), 'data.db');
  const database = createCounters(path);
  commitCounters(database, 1);
  expect(await read(path, counter)).toBe(1);
  const other = createCounters(`${path}.other`);
  commitCounters(other, 2);
  other.exec('PRAGMA page_size = 1024');
  other.exec('VACUUM');
  renameSync(`${path}.other`, path);
  expect(await read(path, counter)).toBe(2);
  expect(await read(path, 'SELECT page_size FROM pragma_page_size')).toBe(1024);
  const third = join(temporaryFolder(), 'data.db');
  commitCounters(createCounters(third), 3);
  expect(await read(third, counter)).toBe(3);
  await expect(read(`${path}.gone`, counter)).rejects.toThrow('no such file');
  expect(await read(path, counter)).toBe(2);
});
