/** Rights that only PostgreSQL has. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { loadSnapshot } from '../../../src/load/load.ts';
import { PostgresServer, programs } from './postgres-server.ts';
import { projectAt, restore } from './recorded.ts';

const repository = join(import.meta.dirname, '..', '..', '..');

let server: PostgresServer;
let folder: string;
let databases = 0;

beforeAll(async () => {
  server = await PostgresServer.start();
  await server.query('CREATE DATABASE museum');
  restore('museum', server, 'museum');
  await server.query('CREATE ROLE reader LOGIN');
});

afterAll(() => server?.stop());

/** Makes a database of its own, whose role `reader` may read all tables. */
beforeEach(async () => {
  const database = `museum_${databases++}`;
  await server.query(`CREATE DATABASE ${database} TEMPLATE museum`);
  folder = projectAt('museum', server.urlOf(database, 'reader'));
  await run('GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader');
});

async function run(sql: string): Promise<void> {
  const client = await server.connect(`museum_${databases - 1}`);
  await client.query(sql);
  await client.end();
}

const problemsOf = (loading: Promise<unknown>) =>
  loading.then(
    () => [],
    (error) => error.problems as string[],
  );

test('the role of the compose file reads the tables of Strapi, also later ones, and writes none', async () => {
  const database = `museum_${databases - 1}`;
  const env = {
    ...process.env,
    PGHOST: '127.0.0.1',
    PGPORT: String(server.port),
    POSTGRES_USER: 'strapi',
    POSTGRES_DB: database,
    READER_PASSWORD: "it's",
    PATH: `${programs}:${process.env.PATH}`,
  };
  execFileSync('sh', [join(repository, 'deploy', 'reader.sh')], { env, stdio: 'pipe' });
  await run('CREATE TABLE later (id int)');
  const read = await loadSnapshot(projectAt('museum', server.urlOf(database, 'lectern')));
  expect(read.store.contentDigest).toBe((await loadSnapshot(folder)).store.contentDigest);
  const rights = (right: string) =>
    `SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND has_table_privilege('lectern', oid, '${right}')`;
  const client = await server.connect(database);
  const counts = await Promise.all(
    ['SELECT', 'INSERT', 'UPDATE', 'DELETE'].map(async (right) =>
      Number((await client.query(rights(right))).rows[0].count),
    ),
  );
  await client.query('DROP OWNED BY lectern; DROP ROLE lectern');
  await client.end();
  expect(counts).toEqual([expect.toSatisfy((count: number) => count > 50), 0, 0, 0]);
});

test('a missing right to use the schema is named', async () => {
  await run('REVOKE USAGE ON SCHEMA public FROM PUBLIC');
  expect((await problemsOf(loadSnapshot(folder))).join()).toMatch(/GRANT USAGE ON SCHEMA/);
});

test('row-level security that hides rows is told, instead of serving fewer rows', async () => {
  await run('ALTER TABLE tags ENABLE ROW LEVEL SECURITY; CREATE POLICY even ON tags USING (id % 2 = 0)');
  expect(await problemsOf(loadSnapshot(folder))).toEqual([
    expect.stringMatching(/row-level security hides rows of the table tags from the role reader; .*BYPASSRLS/),
  ]);
});
