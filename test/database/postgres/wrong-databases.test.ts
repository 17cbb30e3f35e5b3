/** A database that cannot be read gives one sentence that says what to do. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SourceAwayError } from '../../../src/core/errors.ts';
import { PostgresConnection } from '../../../src/load/database/postgres/postgres-connection.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import { freePort } from '../../support/cli.ts';
import { PostgresServer, serverCertificate } from './postgres-server.ts';
import { projectAt, restore } from './recorded.ts';

const password = 'a-secret-Pa55word';
let server: PostgresServer;
let certificate: string;

beforeAll(async () => {
  const made = serverCertificate();
  certificate = made.certificate;
  server = await PostgresServer.start(
    'password_encryption=scram-sha-256',
    'ssl=on',
    `ssl_cert_file=${certificate}`,
    `ssl_key_file=${made.key}`,
  );
  restore('museum', server);
  await server.query(
    `CREATE ROLE reader LOGIN PASSWORD '${password}'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader`,
  );
  await server.allow('host all reader 127.0.0.1/32 scram-sha-256');
  for (const name of ['empty', 'version_4', 'migrated', 'unstarted']) await server.query(`CREATE DATABASE ${name}`);
  for (const name of ['version_4', 'migrated', 'unstarted']) restore('museum', server, name);
  await run('version_4', 'ALTER TABLE files DROP COLUMN document_id');
  await run('migrated', 'ALTER TABLE tags RENAME COLUMN label TO title');
  await run('unstarted', 'DELETE FROM strapi_core_store_settings');
});

afterAll(() => server?.stop());

async function run(database: string, sql: string): Promise<void> {
  const client = await server.connect(database);
  await client.query(sql);
  await client.end();
}

async function errorOf(url: string, variables = ''): Promise<Error & { problems: string[] }> {
  return loadSnapshot(projectAt('museum', url, variables)).then(
    () => {
      throw new Error('it was loaded');
    },
    (error) => error,
  );
}

const reader = (secret = password) => `postgres://reader:${secret}@127.0.0.1:${server.port}`;

test.each([
  [
    'a host that is not known',
    () => 'postgres://strapi@no-such-host.invalid/site',
    /the host no-such-host\.invalid is not known; check/,
  ],
  [
    'a port without a server',
    async () => `postgres://strapi@127.0.0.1:${await freePort()}/site`,
    /no server takes connections at .*; start it, or check/,
  ],
  ['another password', () => `${reader('wrong')}/postgres`, /rejects the user reader: .*; check user and password/],
  ['no such database', () => `${reader()}/nothing`, /has no database nothing; check its name/],
  [
    'a certificate that is not trusted',
    () => `${reader()}/postgres?sslmode=require`,
    /certificate of the server is not trusted: .*ssl\.ca/,
  ],
  ['a database without a Strapi', () => server.urlOf('empty'), /not the database of a Strapi: it has no table/],
  ['a database of Strapi 4', () => server.urlOf('version_4'), /a database of Strapi 4; only that of Strapi 5 is read/],
  [
    'tables that do not fit',
    () => server.urlOf('migrated'),
    /needs the column tags\.label, which is missing: .*start Strapi/,
  ],
  ['a database before the first start', () => server.urlOf('unstarted'), /has no content types yet; start Strapi once/],
])('%s', async (_, url, message) => {
  const error = await errorOf(await url());
  expect(error.problems).toEqual([expect.stringMatching(message)]);
  expect(error.message).not.toMatch(/Pa55word/);
});

test('a server that cannot be reached may be reached later', async () => {
  expect(await errorOf(`postgres://strapi@127.0.0.1:${await freePort()}/site`)).toBeInstanceOf(SourceAwayError);
});

test('a certificate is trusted if its authority is given, or none is asked for', async () => {
  const tls = { rejectUnauthorized: true, ca: readFileSync(certificate, 'utf8'), cert: null, key: null };
  const connection = await PostgresConnection.open({ ...server.location, tls });
  expect(await connection.run('SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).toEqual([[['true']]]);
  connection.destroy();
  const loaded = await loadSnapshot(projectAt('museum', `${reader()}/postgres?sslmode=no-verify`));
  expect(loaded.store.collections.length).toBeGreaterThan(3);
});
