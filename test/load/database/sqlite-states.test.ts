import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { SqliteStates } from '../../../src/load/database/sqlite/sqlite-states.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { commitCounters, createCounters } from './counters.ts';

let states: SqliteStates;
afterEach(() => states.close());

/** Reads a value from a new copy. */
async function read(sql: string): Promise<unknown> {
  const copy = await states.open();
  try {
    const [[value]] = await copy.database.all(sql);
    return value;
  } finally {
    await copy.close();
  }
}

const counter = 'SELECT counter FROM first WHERE id = 1';

test.each(['delete', 'wal'] as const)('each copy has the last commit, of the journal mode %s', async (journalMode) => {
  const path = join(temporaryFolder(), 'data.db');
  states = new SqliteStates(path);
  const database = createCounters(path, journalMode);
  for (let i = 1; i <= 5; i++) {
    commitCounters(database, i);
    expect(await read(counter)).toBe(i);
  }
  // a statement that fails leaves the next copy as it is
  await expect(read('SELECT absent FROM last')).rejects.toThrow('no such column');
  database.exec('ALTER TABLE last ADD COLUMN more TEXT DEFAULT 7');
  expect(await read('SELECT more FROM last')).toBe('7');
  database.exec('DROP TABLE first');
  await expect(read('SELECT * FROM first')).rejects.toThrow('no such table');
  database.close();
});

test('each copy is that of the file which has the name now', async () => {
  const path = join(temporaryFolder(), 'data.db');
  states = new SqliteStates(path);
  const database = createCounters(path);
  commitCounters(database, 1);
  expect(await read(counter)).toBe(1);
  const other = createCounters(`${path}.other`);
  commitCounters(other, 2);
  other.exec('PRAGMA page_size = 1024');
  other.exec('VACUUM');
  renameSync(`${path}.other`, path);
  expect(await read(counter)).toBe(2);
  expect(await read('SELECT page_size FROM pragma_page_size')).toBe(1024);
  renameSync(path, `${path}.gone`);
  await expect(read(counter)).rejects.toThrow('no such file');
  renameSync(`${path}.gone`, path);
  expect(await read(counter)).toBe(2);
});
