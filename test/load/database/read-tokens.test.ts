import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { expect, test } from 'vitest';
import { SnapshotError } from '../../../src/core/errors.ts';
import { openDatabase } from '../../../src/load/database/sqlite/open-database.ts';
import { readApiTokens } from '../../../src/load/project/project-content.ts';
import type { ApiToken } from '../../../src/model/access/definitions.ts';
import { temporaryFolder } from '../../support/folders.ts';

let databases = 0;

/** Writes the tables of API tokens as Strapi 5.54 has them, with rows, and reads the tokens. */
async function read(tokens: object[], permissions: [action: string, token: number][] = [], kind = 'kind, ') {
  const path = join(temporaryFolder(), `${databases++}.db`);
  const database = new sqlite.Database(path);
  database.exec(
    `CREATE TABLE strapi_api_tokens (id INTEGER PRIMARY KEY, name, ${kind}type, access_key, encrypted_key, expires_at, lifespan)`,
  );
  database.exec('CREATE TABLE strapi_api_token_permissions (id INTEGER PRIMARY KEY, action)');
  database.exec(
    'CREATE TABLE strapi_api_token_permissions_token_lnk (id INTEGER PRIMARY KEY, api_token_permission_id, api_token_id)',
  );
  for (const row of tokens) {
    const names = Object.keys(row);
    const places = names.map(() => '?').join(', ');
    database.run(`INSERT INTO strapi_api_tokens (${names.join(', ')}) VALUES (${places})`, Object.values(row));
  }
  for (const [index, [action, token]] of permissions.entries()) {
    database.run('INSERT INTO strapi_api_token_permissions VALUES (?, ?)', [index + 1, action]);
    const link =
      'INSERT INTO strapi_api_token_permissions_token_lnk (api_token_permission_id, api_token_id) VALUES (?, ?)';
    database.run(link, [index + 1, token]);
  }
  database.close();
  const opened = await openDatabase(path);
  try {
    return await readApiTokens(opened, 'data.db');
  } finally {
    await opened.close();
  }
}

const row = { id: 1, name: 'one', kind: 'content-api', type: 'read-only', access_key: 'a1' };
const one: ApiToken = { name: 'one', type: 'read-only', permissions: [], accessKey: 'a1', expires: null };

test('reads tokens with their types, permissions and expiry, in ascending order of id', async () => {
  const rows = [
    { ...row, id: 4, name: 'four', type: 'custom', access_key: 'a4' },
    { ...row, id: 2, name: 'two', type: 'full-access', access_key: 'a2', expires_at: 1_796_017_827_945 },
    { ...row, id: 3, name: 'three', type: 'custom', access_key: 'a3' },
    row,
  ];
  const permissions: [string, number][] = [
    ['api::b.b.find', 3],
    ['api::a.a.find', 3],
    // that of another type has no effect in Strapi
    ['api::a.a.find', 2],
  ];
  expect(await read(rows, permissions)).toEqual([
    one,
    { ...one, name: 'two', type: 'full-access', accessKey: 'a2', expires: 1_796_017_827_945 },
    { ...one, name: 'three', type: 'custom', accessKey: 'a3', permissions: ['api::a.a.find', 'api::b.b.find'] },
    { ...one, name: 'four', type: 'custom', accessKey: 'a4' },
  ]);
});

test('leaves out tokens for the admin panel, and keeps those from before there were such', async () => {
  const rows = [
    { ...row, id: 2, kind: 'admin', access_key: 'a2' },
    { ...row, kind: null },
  ];
  expect(await read(rows)).toEqual([one]);
  const { kind, ...earlier } = row;
  expect(await read([earlier], [], '')).toEqual([one]);
});

test('gives a token without a type no permission', async () =>
  expect(await read([{ ...row, type: null }], [['api::a.a.find', 1]])).toEqual([{ ...one, type: 'custom' }]));

test('reads an expiry that was written as text', async () => {
  const [{ expires }] = await read([{ ...row, expires_at: '2026-11-23T06:00:00.000Z' }]);
  expect(expires).toBe(Date.UTC(2026, 10, 23, 6));
});

test('refuses an expiry that is no date, and tables that are missing', async () => {
  await expect(read([{ ...row, expires_at: 'soon' }])).rejects.toThrow(
    new SnapshotError(['data.db: strapi_api_tokens: the token "one" has an expires_at that is no date: "soon"']),
  );
  const path = join(temporaryFolder(), 'empty.db');
  const empty = new sqlite.Database(path);
  empty.exec('CREATE TABLE other (id)');
  empty.close();
  const opened = await openDatabase(path);
  await expect(readApiTokens(opened, 'data.db')).rejects.toThrow(/no such table: strapi_api_token/);
  await opened.close();
});
