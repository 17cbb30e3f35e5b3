import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresConnection } from '../../../src/load/database/postgres/postgres-connection.ts';
import { look, PostgresState } from '../../../src/load/database/postgres/postgres-state.ts';
import { findChanges, readMarks, type StateMarks } from '../../../src/load/database/postgres/row-changes.ts';
import { waitUntil } from '../../support/wait.ts';
import { PostgresServer } from './postgres-server.ts';
import { seeded } from './sql-edits.ts';
import { TcpProxy } from './tcp-proxy.ts';

/** Writers that commit, roll back, use savepoints and hold transactions open, and one that freezes rows. */
const tables = ['one', 'two', 'three'].map((name) => ({ name, kept: 'owner' }));
let primary: PostgresServer;
let standby: PostgresServer;

beforeAll(async () => {
  primary = await PostgresServer.start('max_connections=30');
  for (const { name } of tables) {
    await primary.query(`CREATE TABLE ${name} (id serial PRIMARY KEY, owner integer, value text)`);
    await primary.query(`INSERT INTO ${name} (owner, value) SELECT n % 7, 'first' FROM generate_series(1, 200) AS n`);
  }
  standby = await primary.startStandby();
});

afterAll(async () => {
  await standby?.stop();
  await primary?.stop();
});

/** Writes at random until it is told to stop. */
async function write(server: PostgresServer, random: () => number, isEnded: () => boolean): Promise<number> {
  const client = await server.connect();
  const anyOf = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)];
  let transactions = 0;
  const change = async () => {
    const table = anyOf(tables).name;
    const id = Math.ceil(random() * 400);
    const value = Math.floor(random() * 1e6);
    await client.query(
      anyOf([
        `INSERT INTO ${table} (owner, value) VALUES (${value % 7}, '${value}')`,
        `UPDATE ${table} SET value = '${value}' WHERE id = ${id}`,
        `UPDATE ${table} SET owner = ${value % 7} WHERE id BETWEEN ${id} AND ${id + 3}`,
        `DELETE FROM ${table} WHERE id = ${id}`,
        `DELETE FROM ${table} WHERE id = (SELECT max(id) FROM ${table})`,
      ]),
    );
  };
  while (!isEnded()) {
    transactions++;
    await client.query('BEGIN');
    try {
      await change();
      // some transactions stay open over many looks
      if (random() < 0.15) await new Promise((resolve) => setTimeout(resolve, random() * 400));
      if (random() < 0.4) {
        await client.query('SAVEPOINT inner_part');
        await change();
        if (random() < 0.5) await client.query('ROLLBACK TO SAVEPOINT inner_part');
        await change();
      }
      await client.query(random() < 0.25 ? 'ROLLBACK' : 'COMMIT');
    } catch {
      // a deadlock between writers
      await client.query('ROLLBACK');
    }
  }
  await client.end();
  return transactions;
}

/** Keeps a copy of the tables by the found changes alone, and compares it with the tables at each state. */
async function poll(server: PostgresServer, comparisons: number): Promise<{ read: number; skipped: number }> {
  const connection = await PostgresConnection.open(server.location);
  const names = tables.map(({ name }) => name);
  const copies = new Map(names.map((name) => [name, new Map<number, string>()]));
  let marks: StateMarks | null = null;
  let mark = '';
  let skipped = 0;
  let read = 0;
  for (let compared = 0; compared < comparisons; ) {
    const seen = await look(connection);
    const isSame = seen.mark === mark;
    const state = await PostgresState.open(connection, { schema: 'public', tables: names });
    const rowsOf = async (table: string, where = '') =>
      new Map(
        (await state.all(`SELECT id, owner || ' ' || value FROM ${table}${where}`)).map(([id, row]) => [
          Number(id),
          String(row),
        ]),
      );
    if (isSame) {
      // nothing was committed before the look; a commit since then is found at the next look
      skipped++;
      const again = await look(connection);
      if (again.mark === mark) for (const name of names) expect(await rowsOf(name)).toEqual(copies.get(name));
    } else if (!marks) {
      marks = await readMarks(state, tables);
      for (const name of names) copies.set(name, await rowsOf(name));
    } else {
      compared++;
      const found = await findChanges(state, tables, marks);
      for (const [name, { written, gone }] of found.changes) {
        const copy = copies.get(name)!;
        for (const id of gone) copy.delete(id);
        read += written.length;
        if (written.length === 0) continue;
        for (const [id, row] of await rowsOf(name, ` WHERE id IN (${written.join(', ')})`)) copy.set(id, row);
      }
      marks = found.marks;
      for (const name of names) expect(copies.get(name)).toEqual(await rowsOf(name));
    }
    if (!isSame) mark = seen.mark;
    await state.close();
  }
  connection.destroy();
  return { read, skipped };
}

const snapshotIn = (mark: string) => mark.split(' ').at(-2);

test('finds every change on a primary and on a hot standby, beside writers of every kind', async () => {
  let isEnded = false;
  const writers = [1, 2, 3, 4].map((seed) => write(primary, seeded(seed), () => isEnded));
  const freezing = (async () => {
    const client = await primary.connect();
    while (!isEnded) {
      for (const { name } of tables) await client.query(`VACUUM FREEZE ${name}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await client.end();
  })();
  const polled = await Promise.all([poll(primary, 400), poll(standby, 400)]).finally(() => (isEnded = true));
  const transactions = (await Promise.all(writers)).reduce((sum, each) => sum + each, 0);
  await freezing;
  expect(transactions).toBeGreaterThan(100);
  for (const { read } of polled) expect(read).toBeGreaterThan(100);
});

test('notices commits in any order on a standby, whose snapshots leave out transactions in progress', async () => {
  const connection = await PostgresConnection.open(standby.location);
  const writers = await Promise.all([1, 2, 3].map(() => primary.connect()));
  for (const [n, client] of writers.entries()) {
    await client.query(`BEGIN; INSERT INTO one (id, owner, value) VALUES (${10_000 + n}, 1, 'late')`);
  }
  await writers[2].query('COMMIT');
  const arrived = async (id: number) => {
    const [[[count]]] = await connection.run(`SELECT count(*) FROM one WHERE id = ${id}`);
    return count === 1;
  };
  await waitUntil(() => arrived(10_002));
  const before = await look(connection);
  expect(before.isStandby).toBe(true);
  await writers[1].query('COMMIT');
  await waitUntil(() => arrived(10_001));
  const after = await look(connection);
  expect(after.mark).not.toBe(before.mark);
  // the snapshot alone does not tell
  expect(snapshotIn(after.mark)).toBe(snapshotIn(before.mark));
  await writers[0].query('ROLLBACK');
  for (const client of writers) await client.end();
  connection.destroy();
});

test('reads the marks of many tables of a distant server in one state', async () => {
  const proxy = await TcpProxy.to(primary.port);
  proxy.delay = 30;
  const connection = await PostgresConnection.open({ ...primary.location, port: proxy.port });
  const state = await PostgresState.open(connection, { schema: 'public', tables: [] });
  const many = Array.from({ length: 120 }, (_, n) => tables[n % tables.length]);
  const { rows } = await readMarks(state, many);
  for (const { name } of tables) expect(rows.get(name)!.size).toBeGreaterThan(0);
  await state.close();
  connection.destroy();
  await proxy.close();
});
