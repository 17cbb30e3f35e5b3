/** A table of PostgreSQL that is rewritten seems to be empty to a transaction that began before. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ProjectReader } from '../../../src/follow/project/project-reader.ts';
import { PostgresServer } from './postgres-server.ts';
import { projectAt, restore } from './recorded.ts';

let server: PostgresServer;
let reader: ProjectReader;

beforeAll(async () => {
  server = await PostgresServer.start();
  restore('museum', server);
  const folder = projectAt('museum', server.urlOf());
  reader = new ProjectReader({ kind: 'project', folder, compareSeconds: 3600 }, () => {});
});

afterAll(async () => {
  await reader?.close();
  await server?.stop();
});

test('the tables of a Strapi that are rewritten are read again, not as empty', async () => {
  await reader.load({});
  await server.query(`ALTER TABLE tags ALTER COLUMN label TYPE text USING label || '!'`);
  const change = await reader.next();
  if (change.kind !== 'batch') throw new Error(change.reason);
  const labels = change.batch.entities.map(({ data }) => String(data?.label));
  expect(labels.length).toBeGreaterThan(3);
  expect(labels.every((label) => label.endsWith('!') || label === 'null')).toBe(true);
});
