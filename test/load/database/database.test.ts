import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { beforeAll, describe, expect, test } from 'vitest';
import { type DatabaseValue, rowsPerPart } from '../../../src/load/database/database.ts';
import { openDatabase } from '../../../src/load/database/sqlite/open-database.ts';
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
    expect(await database.all('SELECT * FROM "values" ORDER BY id')).toEqual([
      [1, 9_007_199_254_740_993n, 'Ångström 🧲', new Uint8Array([0, 255]), 2.5],
      [2, -9_007_199_254_740_991, '', new Uint8Array(), -1e300],
      [3, null, null, null, null],
    ]);
    await database.close();
  });

  test('binds parameters of every type', async () => {
    const database = await openDatabase(path, path, open);
    const parameters = [7, 9_007_199_254_740_993n, "it's", new Uint8Array([1]), null, 0.5];
    const [row] = await database.all('SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS e, ? AS f', parameters);
    expect(row).toEqual(parameters);
    await database.close();
  });

  test('reads two statements in parts at once, and ends one early', async () => {
    const database = await openDatabase(path, path, open);
    const numbers = async (parts: AsyncIterator<readonly DatabaseValue[][]>) => {
      const { value = [] } = (await parts.next()) as { value?: readonly DatabaseValue[][] };
      return value.map(([n]) => n);
    };
    const first = database.parts('SELECT n FROM numbers ORDER BY n')[Symbol.asyncIterator]();
    const second = database.parts('SELECT n FROM numbers ORDER BY n DESC')[Symbol.asyncIterator]();
    const found = [await numbers(first), await numbers(second)];
    expect(found.map((part) => [part.length, part[0]])).toEqual([
      [rowsPerPart, 0],
      [rowsPerPart, rowCount - 1],
    ]);
    await second.return?.();
    expect(await numbers(second)).toEqual([]);
    for (let part = found[0]; part.length > 0; found[0].push(...part)) part = await numbers(first);
    expect(found[0]).toEqual(Array.from({ length: rowCount }, (_, n) => n));
    await database.close();
  });

  test('does not write', async () => {
    const database = await openDatabase(path, path, open);
    await expect(database.all('DELETE FROM numbers')).rejects.toThrow(/readonly/);
    await database.close();
  });

  test('ends iterators when it closes', async () => {
    const database = await openDatabase(path, path, open);
    const parts = database.parts('SELECT n FROM numbers')[Symbol.asyncIterator]();
    await parts.next();
    await database.close();
    await expect(parts.next()).rejects.toThrow(`${path}: SQLite cannot read the database: it is closed`);
  });

  test.each([
    ['SELECT absent FROM numbers', 'no such column: absent'],
    ['SELECT n FROM nowhere', 'no such table: nowhere'],
    ['SELECT n, n FROM numbers', 'The statement needs another name for the column n.'],
    ['SELECT n AS "1", n AS "0" FROM numbers', 'The statement needs another name for the column 1.'],
  ])('says what is wrong with %s', async (sql, message) => {
    const database = await openDatabase(path, 'the database', open);
    const error = `the database: SQLite cannot read the database: ${message}`;
    await expect(database.all(sql)).rejects.toThrow(error);
    await expect(database.parts(sql)[Symbol.asyncIterator]().next()).rejects.toThrow(error);
    await database.close();
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
    const error = `${damaged}: SQLite cannot read the database: database disk image is malformed`;
    await expect(database.all('SELECT text FROM numbers')).rejects.toThrow(error);
    await database.close();
  });
});

test('loads a driver silently, and none before a database is opened', () => {
  const file = (name: string) => JSON.stringify(join(import.meta.dirname, '../../../src', name));
  const code = `
    process.on('warning', (warning) => console.log(warning.message));
    const driversOf = () => process.moduleLoadList.filter((name) => name === 'NativeModule sqlite').length +
      Object.keys(require.cache).filter((name) => name.includes('node-sqlite3-wasm')).length;
    (async () => {
      const { openDatabase } = await import(${file('load/database/sqlite/open-database.ts')});
      await import(${file('load/load.ts')});
      const before = driversOf();
      await (await openDatabase(${JSON.stringify(path)})).close();
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
