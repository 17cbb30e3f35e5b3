import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MysqlStates } from '../../../src/load/database/mysql/mysql-states.ts';
import { findChanges, type RowDigests, readDigests } from '../../../src/load/database/mysql/row-digests.ts';
import { CopiedTables, startWriters, writtenTables as tables } from '../servers/random-writers.ts';
import { MysqlServer } from './mysql-server.ts';

let server: MysqlServer;

beforeAll(async () => {
  server = await MysqlServer.start();
  for (const { name } of tables) {
    server.query(
      `CREATE TABLE ${name} (id integer PRIMARY KEY AUTO_INCREMENT, owner integer, value varchar(20)); ` +
        `INSERT INTO ${name} (owner, value) VALUES ${Array.from({ length: 600 }, (_, n) => `(${n % 7}, 'first')`)}`,
      'strapi',
    );
  }
});

afterAll(() => server?.stop());

async function connect() {
  const { host, port, database, user, password } = server.location;
  const client = await createConnection({ host, port, database, user: user!, password: password! });
  await client.query('SET SESSION innodb_lock_wait_timeout = 1');
  return client;
}

test('finds every change beside writers of every kind', async () => {
  const endWriters = startWriters(connect);
  const states = new MysqlStates(server.location);
  const copies = new CopiedTables();
  let digests: RowDigests | null = null;
  let mark = '';
  let transactions = 0;
  try {
    for (let compared = 0; compared < 200; ) {
      const state = await states.open();
      const { database } = state;
      if (!digests) {
        digests = await readDigests((read) => read(database), tables);
        await copies.readAll(database);
      } else if (state.mark !== mark) {
        compared++;
        const found = await findChanges(database, tables, digests);
        await copies.apply(database, found.changes);
        digests = found.marks;
        await copies.expectSame(database);
      }
      mark = state.mark;
      await state.close();
    }
  } finally {
    transactions = await endWriters();
    await states.close();
  }
  expect(transactions).toBeGreaterThan(100);
  expect(copies.read).toBeGreaterThan(100);
});

test.each([
  ['NULL', "'x'", "'x'", 'NULL'],
  ["''", "'x'", 'NULL', "'x'"],
  ["'a'", "'b,c'", "'a,b'", "'c'"],
  ["'x'", "'y'", "'y'", "'x'"],
  ["'x'", "'y'", "'X'", "'y'"],
  ["'x'", "'y'", "'x '", "'y'"],
])('tells a row of %s and %s from one of %s and %s', async (one, two, otherOne, otherTwo) => {
  const table = { name: 'texts', kept: null, columns: ['one', 'two'] };
  server.query(
    'DROP TABLE IF EXISTS texts; CREATE TABLE texts (id integer PRIMARY KEY, one varchar(9), two varchar(9)); ' +
      `INSERT INTO texts VALUES (1, 'a', 'b'), (300, ${one}, ${two}), (301, 'a', 'b')`,
    'strapi',
  );
  const states = new MysqlStates(server.location);
  const first = await states.open();
  const digests = await readDigests((read) => read(first.database), [table]);
  await first.close();
  server.query(`UPDATE texts SET one = ${otherOne}, two = ${otherTwo} WHERE id = 300`, 'strapi');
  const second = await states.open();
  const { changes } = await findChanges(second.database, [table], digests);
  await second.close();
  await states.close();
  expect(changes.get('texts')).toMatchObject({ written: [300], gone: [] });
});
