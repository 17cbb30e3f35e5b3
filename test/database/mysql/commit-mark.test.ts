import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createLook } from '../../../src/load/database/mysql/commit-mark.ts';
import { MysqlConnection } from '../../../src/load/database/mysql/mysql-connection.ts';
import { MysqlServer, withIds } from './mysql-server.ts';

let server: MysqlServer;
const connections: MysqlConnection[] = [];

beforeAll(async () => {
  server = await MysqlServer.start(undefined, ...withIds);
  server.query('CREATE TABLE numbers (number integer)', 'strapi');
});

afterEach(() => {
  for (const connection of connections.splice(0)) connection.destroy();
});

afterAll(() => server?.stop());

async function lookAt(countPause?: number): Promise<() => Promise<string>> {
  const connection = await MysqlConnection.open(server.location);
  connections.push(connection);
  const look = await createLook(connection, countPause);
  return async () => (await look()).mark;
}

const write = (before = '') => server.query(`${before} INSERT INTO numbers VALUES (1)`, 'strapi');

test('a commit with an id changes the mark, and a read does not', async () => {
  const look = await lookAt();
  const first = await look();
  server.query('SELECT * FROM numbers', 'strapi');
  expect(await look()).toBe(first);
  write();
  expect(await look()).not.toBe(first);
});

test('a look at the counts alone does not change the mark', async () => {
  const look = await lookAt(0);
  await look();
  const mark = await look();
  for (let n = 0; n < 5; n++) expect(await look()).toBe(mark);
});

test('a commit that the log leaves out changes the mark when the counts are read again', async () => {
  const [look, later] = [await lookAt(0), await lookAt()];
  const [laterFirst, first] = [await later(), await look()];
  write('SET sql_log_bin = 0;');
  expect(await later()).toBe(laterFirst);
  expect(await look()).not.toBe(first);
});
