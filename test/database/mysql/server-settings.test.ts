/** Settings of a server that its owner may choose change nothing of what is read. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MysqlStates } from '../../../src/load/database/mysql/mysql-states.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import { makeCertificate } from '../certificate.ts';
import { unprivilegedUser } from '../server-programs.ts';
import { isMysql, MysqlServer } from './mysql-server.ts';
import { projectAt, restore } from './recorded.ts';

const { certificate, key } = makeCertificate(unprivilegedUser('mysql'));
let server: MysqlServer;

beforeAll(async () => {
  server = await MysqlServer.start(undefined, `--ssl-cert=${certificate}`, `--ssl-key=${key}`);
  restore('museum', server);
});

afterAll(() => server?.stop());

test.each([
  ['names in double quotes', "sql_mode = 'ANSI_QUOTES'"],
  [
    'backslashes that escape nothing, and strict modes',
    "sql_mode = 'NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,PIPES_AS_CONCAT'",
  ],
  ['another character set', "character_set_server = 'latin1', GLOBAL collation_connection = 'latin1_swedish_ci'"],
  ['another level of isolation', `${isMysql ? 'transaction_isolation' : 'tx_isolation'} = 'READ-UNCOMMITTED'`],
  ['transactions that begin by themselves', 'autocommit = 0'],
])('%s', async (_, setting) => {
  const folder = projectAt('museum', server);
  const { contentDigest } = (await loadSnapshot(folder)).store;
  const names = setting.split(/, GLOBAL /).map((part) => part.split(' = ')[0]);
  server.query(`SET GLOBAL ${setting}`);
  try {
    expect((await loadSnapshot(folder)).store.contentDigest).toBe(contentDigest);
  } finally {
    for (const name of names) server.query(`SET GLOBAL ${name} = DEFAULT`);
  }
});

test('a certificate is trusted if its authority is given, or none is asked for', async () => {
  const encrypted = async (rejectUnauthorized: boolean, ca: string | null) => {
    const tls = { rejectUnauthorized, ca, cert: null, key: null };
    const states = new MysqlStates({ ...server.location, database: 'museum', tls });
    try {
      const state = await states.open();
      const [[, cipher]] = await state.database.all("SHOW SESSION STATUS LIKE 'Ssl_cipher'");
      await state.close();
      return cipher;
    } finally {
      await states.close();
    }
  };
  expect(await encrypted(true, readFileSync(certificate, 'utf8'))).toMatch(/\w/);
  expect(await encrypted(false, null)).toMatch(/\w/);
  await expect(encrypted(true, null)).rejects.toThrow(/the certificate of the server is not trusted: .*ssl\.ca/);
});

test('a server that insists on TLS is a sentence that says what to do', async () => {
  server.query('SET GLOBAL require_secure_transport = ON');
  const states = new MysqlStates(server.location);
  try {
    // versions of MariaDB before 11 do not say why they reject a user
    const message = /the server takes only connections with TLS: .*; set ssl in config|and whether it has to use TLS/;
    await expect(states.open()).rejects.toThrow(message);
  } finally {
    await states.close();
    server.query('SET GLOBAL require_secure_transport = OFF');
  }
});
