import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/load/database/database.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { drivers } from './drivers.ts';

const folder = temporaryFolder();
const path = join(folder, 'data.db');
const rowCount = 2_000;

beforeAll(() => {
  const database = new sqlite.Database(path);
  database.exec(
    'CREATE TABLE "values" (id INTEGER PRIMARY KEY, "an integer" INTEGER, text TEXT, blob BLOB, real REAL)',
  );
  const insert = 'INSERT INTO "values" ("an integer", text, blob, real) VALUES (?, ?, ?, ?)';
  database.run(insert, [9_007_199_254_740_993n, 'Ångström 🧲', new Uint8Array([0, 255]), 2.5]);
  database.run(insert, [-9_007_199_254_740_991n, '', new Uint8Array(), -1e300]);
  database.run(insert, [null, null, null, null]);
  database.exec('CREATE TABLE numbers (n INTEGER, text TEXT)');
  database.exec('BEGIN');
  for (let n = 0; n < rowCount; n++) database.run('INSERT INTO numbers VALUES (?, ?)', [n, `number ${n}`.repeat(20)]);
  database.exec('COMMIT');
  database.close();
});

describe.each(drivers)('the driver %s', (_name, open) => {
  test('reads integers, text, blobs, floats and nulls', async () => {
    const database = await openDatabase(path, path, open);
    expect(Array.from(database.rows('SELECT * FROM "values" ORDER BY id'))).toEqual([
      [1, 9_007_199_254_740_993n, 'Ångström 🧲', new Uint8Array([0, 255]), 2.5],
      [2, -9_007_199_254_740_991, '', new Uint8Array(), -1e300],
      [3, null, null, null, null],
    ]);
    database.close();
  });

  test('binds parameters of every type', async () => {
    const database = await openDatabase(path, path, open);
    const parameters = [7, 9_007_199_254_740_993n, "it's", new Uint8Array([1]), null, 0.5];
    const [row] = database.rows('SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS e, ? AS f', parameters);
    expect(row).toEqual(parameters);
    database.close();
  });

  test('reads two statements at once, and ends one early', async () => {
    const database = await openDatabase(path, path, open);
    const first = database.rows('SELECT n FROM numbers ORDER BY n');
    const second = database.rows('SELECT n FROM numbers ORDER BY n DESC');
    expect([first.next().value, second.next().value, first.next().value]).toEqual([[0], [rowCount - 1], [1]]);
    second.return?.();
    expect(Array.from(first).length).toBe(rowCount - 2);
    database.close();
  });

  test('does not write', async () => {
    const database = await openDatabase(path, path, open);
    expect(() => Array.from(database.rows('DELETE FROM numbers'))).toThrow(/readonly/);
    database.close();
  });

  test('ends iterators when it closes', async () => {
    const database = await openDatabase(path, path, open);
    const rows = database.rows('SELECT n FROM numbers');
    rows.next();
    database.close();
    expect(() => rows.next()).toThrow(`${path}: SQLite cannot read the database: it is closed`);
  });

  test.each([
    ['SELECT absent FROM numbers', 'no such column: absent'],
    ['SELECT n FROM nowhere', 'no such table: nowhere'],
    ['SELECT n, n FROM numbers', 'The statement needs another name for the column n.'],
    ['SELECT n AS "1", n AS "0" FROM numbers', 'The statement needs another name for the column 1.'],
  ])('says what is wrong with %s', async (sql, message) => {
    const database = await openDatabase(path, 'the database', open);
    const read = () => Array.from(database.rows(sql));
    expect(read).toThrow(`the database: SQLite cannot read the database: ${message}`);
    database.close();
  });

  test('rejects a missing file, a folder and what is no database', async () => {
    mkdirSync(join(folder, 'folder'), { recursive: true });
    writeFileSync(join(folder, 'text'), 'no database '.repeat(1000));
    for (const name of ['missing', 'folder', 'text']) {
      const opening = openDatabase(join(folder, name), undefined, open);
      await expect(opening).rejects.toThrow(`${join(folder, name)}: SQLite cannot read the database: `);
    }
  });

  test('reports damage where it reads it', async () => {
    const damaged = join(folder, 'damaged.db');
    const bytes = readFileSync(path);
    writeFileSync(damaged, bytes.fill(0xee, bytes.length / 2));
    const database = await openDatabase(damaged, undefined, open);
    const read = () => Array.from(database.rows('SELECT text FROM numbers'));
    expect(read).toThrow(`${damaged}: SQLite cannot read the database: database disk image is malformed`);
    database.close();
  });
});

test('loads a driver silently, and none before a database is opened', () => {
  const file = (name: string) => JSON.stringify(join(import.meta.dirname, '../../../src', name));
  const code = `
    process.on('warning', (warning) => console.log(warning.message));
    const driversOf = () => process.moduleLoadList.filter((name) => name === 'NativeModule sqlite').length +
      Object.keys(require.cache).filter((name) => name.includes('node-sqlite3-wasm')).length;
    (async () => {
      const { openDatabase } = await import(${file('load/database/database.ts')});
      await import(${file('load/load.ts')});
      const before = driversOf();
      (await openDatabase(${JSON.stringify(path)})).close();
      process.emitWarning('kept', 'ExperimentalWarning');
      setImmediate(() => console.log(before, driversOf()));
    })();
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', '--import', 'tsx', '-e', code], {
    cwd: join(import.meta.dirname, '../../..'),
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(stdout).toBe('kept\n0 1\n');
});
