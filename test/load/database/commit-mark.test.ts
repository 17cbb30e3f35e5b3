import { mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'node-sqlite3-wasm';
import { beforeEach, describe, expect, test } from 'vitest';
import { commitMark } from '../../../src/load/database/sqlite/commit-mark.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { beginLargeTransaction, commitCounters, createCounters, setCounters } from './counters.ts';

describe.each(['delete', 'truncate', 'persist', 'wal'] as const)(
  'the state with the journal mode %s',
  (journalMode) => {
    let path: string;
    let database: Database;

    beforeEach(() => {
      path = join(temporaryFolder(), 'data.db');
      database = createCounters(path, journalMode);
      return () => database.close();
    });

    test('changes at each commit', async () => {
      const states = new Set([await commitMark(path)]);
      for (let counter = 1; counter <= 30; counter++) {
        commitCounters(database, counter);
        states.add(await commitMark(path));
      }
      expect(states.size).toBe(31);
    });

    test('stays the same without a commit', async () => {
      const state = await commitMark(path);
      database.all('SELECT * FROM first');
      database.exec('BEGIN');
      setCounters(database, 1);
      if (journalMode !== 'wal') expect(await commitMark(path)).toBe(state);
      database.exec('ROLLBACK');
      expect(await commitMark(path)).toBe(state);
    });

    test('changes at the commit of a transaction that has written to the file before', async () => {
      const states = [await commitMark(path)];
      beginLargeTransaction(database);
      states.push(await commitMark(path));
      database.exec('COMMIT');
      states.push(await commitMark(path));
      expect(new Set(states).size).toBe(3);
    });

    test('is read through a symbolic link', async () => {
      const link = join(temporaryFolder(), 'link.db');
      symlinkSync(path, link);
      expect(await commitMark(link)).toBe(await commitMark(path));
    });
  },
);

test('the state changes at commits within one tick of the clock of the file system', async () => {
  const path = join(temporaryFolder(), 'data.db');
  const database = createCounters(path);
  utimesSync(path, 1, 1);
  const before = await commitMark(path);
  commitCounters(database, 1);
  utimesSync(path, 1, 1);
  expect(await commitMark(path)).not.toBe(before);
  database.close();
});

test('the state names a folder in place of a database', async () => {
  const folder = join(temporaryFolder(), 'folder');
  mkdirSync(folder);
  await expect(commitMark(folder)).rejects.toThrow(`${folder}: a folder; name the database file in it`);
});
