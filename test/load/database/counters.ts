import { readFileSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import sqlite, { type Database } from 'node-sqlite3-wasm';
import { expect } from 'vitest';
import { openDatabase } from '../../../src/load/database/sqlite/open-database.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { drivers } from './drivers.ts';

const fillers = 400;

let template: Buffer | undefined;

/** A database of two tables far apart in the file, each with a counter that every transaction sets. */
export function createCounters(
  path: string,
  journalMode: 'delete' | 'persist' | 'truncate' | 'wal' = 'delete',
): Database {
  writeFileSync(path, (template ??= createTemplate()));
  const database = new sqlite.Database(path);
  // without shared memory, which WebAssembly lacks, a log needs an exclusive lock
  if (journalMode === 'wal') database.exec('PRAGMA locking_mode = exclusive');
  // statements that return rows, such as this, are run to their end by all()
  database.all(`PRAGMA journal_mode = ${journalMode}`);
  return database;
}

function createTemplate(): Buffer {
  const path = join(temporaryFolder(), 'template.db');
  const database = new sqlite.Database(path);
  database.exec('BEGIN');
  for (const table of ['first', 'last']) {
    database.exec(`CREATE TABLE ${table} (id INTEGER PRIMARY KEY, counter INTEGER, text TEXT)`);
    for (let id = 1; id <= fillers; id++) {
      database.run(`INSERT INTO ${table} VALUES (?, 0, ?)`, [id, `${table} ${id} `.repeat(60)]);
    }
  }
  database.exec('COMMIT');
  database.close();
  return readFileSync(path);
}

/** Sets the counters without a commit. */
export function setCounters(database: Database, counter: number): void {
  database.run('UPDATE first SET counter = ? WHERE id < 50', [counter]);
  database.run(`UPDATE last SET counter = ? WHERE id > ${fillers - 50}`, [counter]);
}

export function commitCounters(database: Database, counter: number): void {
  database.exec('BEGIN');
  setCounters(database, counter);
  database.exec('COMMIT');
}

/** Begins a transaction that changes every page and is larger than the cache, so that it writes to the file. */
export function beginLargeTransaction(database: Database): void {
  database.exec('PRAGMA cache_size = 10');
  database.exec('BEGIN');
  database.exec('UPDATE first SET counter = -1, text = text || 1');
  database.exec('UPDATE last SET counter = -1, text = text || 1');
}

/** Expects a whole database, by every driver, and returns its counter. */
export async function counterIn(path: string): Promise<number> {
  const counters = new Set<unknown>();
  for (const [, open] of drivers) {
    const database = await openDatabase(path, path, open);
    expect(await database.all('PRAGMA integrity_check')).toEqual([['ok']]);
    const [row] = await database.all(
      `SELECT (SELECT counter FROM first WHERE id = 1) AS first, (SELECT counter FROM last WHERE id = ${fillers}) AS last`,
    );
    expect(row[0]).toBe(row[1]);
    counters.add(row[0]);
    await database.close();
  }
  expect(counters.size).toBe(1);
  return [...counters][0] as number;
}

/** Copies the files of a database as a crash of its writer would leave them. */
export async function copyFiles(path: string, to: string): Promise<void> {
  for (const suffix of ['', '-journal', '-wal', '-shm']) {
    await copyFile(path + suffix, to + suffix).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}
