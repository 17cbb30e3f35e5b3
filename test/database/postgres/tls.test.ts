/** A connection to PostgreSQL is encrypted, and the certificate of the server is verified if that is asked for. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresConnection } from '../../../src/load/database/postgres/postgres-connection.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import { PostgresServer, serverCertificate } from './postgres-server.ts';
import { projectAt, restore } from './recorded.ts';

let server: PostgresServer;
let certificate: string;

beforeAll(async () => {
  const made = serverCertificate();
  certificate = made.certificate;
  server = await PostgresServer.start('ssl=on', `ssl_cert_file=${certificate}`, `ssl_key_file=${made.key}`);
  restore('museum', server);
});

afterAll(() => server?.stop());

test('a certificate that is not trusted is a sentence that says what to do', async () => {
  const loading = loadSnapshot(projectAt('museum', `${server.urlOf()}?sslmode=require`));
  await expect(loading).rejects.toThrow(/certificate of the server is not trusted: .*ssl\.ca/);
});

test('a certificate is trusted if its authority is given, or none is asked for', async () => {
  const tls = { rejectUnauthorized: true, ca: readFileSync(certificate, 'utf8'), cert: null, key: null };
  const connection = await PostgresConnection.open({ ...server.location, tls });
  expect(await connection.run('SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).toEqual([[['true']]]);
  connection.destroy();
  const loaded = await loadSnapshot(projectAt('museum', `${server.urlOf()}?sslmode=no-verify`));
  expect(loaded.store.collections.length).toBeGreaterThan(3);
});
