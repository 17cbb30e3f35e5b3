import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresConnection } from '../../../src/load/database/postgres/postgres-connection.ts';
import { look, PostgresState } from '../../../src/load/database/postgres/postgres-state.ts';
import { findChanges, readMarks, type StateMarks } from '../../../src/load/database/postgres/row-changes.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { waitUntil } from '../../support/wait.ts';
import { CopiedTables, startWriters, writtenTables as tables } from '../servers/random-writers.ts';
import { PostgresServer } from './postgres-server.ts';

let primary: PostgresServer;
let standby: PostgresServer;

beforeAll(async () => {
  primary = await PostgresServer.start('max_connections=30');
  for (const { name } of tables) {
    await primary.query(`CREATE TABLE ${name} (id serial PRIMARY KEY, owner integer, value text)`);
    await primary.query(`INSERT INTO ${name} (owner, value) SELECT n % 7, 'first' FROM generate_series(1, 600) AS n`);
  }
  standby = await primary.startStandby();
});

afterAll(async () => {
  await standby?.stop();
  await primary?.stop();
});

/** Keeps a copy of the tables by the found changes alone, and compares it with the tables at each state. */
async function poll(server: PostgresServer, comparisons: number): Promise<number> {
  const connection = await PostgresConnection.open(server.location);
  const copies = new CopiedTables();
  let marks: StateMarks | null = null;
  let mark = '';
  for (let compared = 0; compared < comparisons; ) {
    const seen = await look(connection);
    const isSame = seen.mark === mark;
    const state = await PostgresState.open(connection, { schema: 'public', tables: tables.map(({ name }) => name) });
    if (isSame) {
      // nothing was committed before the look; a commit since then is found at the next look
      const again = await look(connection);
      if (again.mark === mark) await copies.expectSame(state);
    } else if (!marks) {
      marks = await readMarks(state, tables);
      await copies.readAll(state);
    } else {
      compared++;
      const found = await findChanges(state, tables, marks);
      await copies.apply(state, found.changes);
      marks = found.marks;
      await copies.expectSame(state);
    }
    if (!isSame) mark = seen.mark;
    await state.close();
  }
  connection.destroy();
  return copies.read;
}

const snapshotIn = (mark: string) => mark.split(' ').at(-2);

test('finds every change on a primary and on a hot standby, beside writers of every kind', async () => {
  let isEnded = false;
  const endWriters = startWriters(() => primary.connect());
  const freezing = (async () => {
    const client = await primary.connect();
    while (!isEnded) {
      for (const { name } of tables) await client.query(`VACUUM FREEZE ${name}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await client.end();
  })();
  const polled = await Promise.all([poll(primary, 400), poll(standby, 400)]).finally(() => (isEnded = true));
  const transactions = await endWriters();
  await freezing;
  expect(transactions).toBeGreaterThan(100);
  for (const read of polled) expect(read).toBeGreaterThan(100);
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

test('a session that ends between two parts rejects when the next part is asked for', async () => {
  const connection = await PostgresConnection.open(primary.location);
  const state = await PostgresState.open(connection, { schema: 'public', tables: [] });
  const parts = state.parts('SELECT n, CASE WHEN n > 900 THEN pg_sleep(0.01) END FROM generate_series(1, 5000) AS n');
  expect((await parts.next()).value).toHaveLength(500);
  await primary.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lectern'");
  await waitUntil(() => connection.isLost);
  await expect(parts.next()).rejects.toThrow('terminat');
  await state.close();
});
