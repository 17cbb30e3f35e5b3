/** A content follows a hot standby, through its promotion, a failover, and a pooler of transactions. */
import { spawn } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { askServer } from '../../support/http.ts';
import { until } from '../../support/server.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { endProcessesAfterEach, startProcess } from '../../support/threads.ts';
import { installPackage } from '../server-programs.ts';
import { PostgresServer, serverUser } from './postgres-server.ts';
import { projectAt, restore } from './recorded.ts';

endProcessesAfterEach();

let primary: PostgresServer;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  primary = await PostgresServer.start();
  restore('museum', primary);
});

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

afterAll(() => primary?.stop());

async function follow(url: string) {
  const { port, adminPort, lines } = await startProcess(projectAt('museum', url), ['--admin-port', '0'], {
    public: true,
  });
  const shows = (label: string) =>
    until(async () => (await askServer(port, `/api/tags?filters[label]=${label}`)).body.includes(`"${label}"`));
  const source = async () => (await askServer(adminPort!, '/_ready')).json().sources[0];
  return { shows, source, lines };
}

const write = (server: PostgresServer, label: string) =>
  server.query(
    `UPDATE tags SET label = '${label}' WHERE id = (SELECT min(id) FROM tags WHERE published_at IS NOT NULL)`,
  );

test('a hot standby is followed and named, and followed on after its promotion', async () => {
  const standby = await primary.startStandby();
  ends.push(() => standby.stop());
  const { shows, source } = await follow(standby.urlOf());
  await write(primary, 'on-the-primary');
  await shows('on-the-primary');
  await until(async () => (await source()).isStandby === true);
  standby.promote();
  await write(standby, 'promoted');
  await shows('promoted');
  await until(async () => (await source()).isStandby === undefined);
});

test('a failover that loses the last commits takes them back', async () => {
  const standby = await primary.startStandby();
  ends.push(() => standby.stop());
  const proxy = await TcpProxy.to(primary.port);
  ends.push(() => proxy.close());
  const { shows, source } = await follow(`postgres://strapi@127.0.0.1:${proxy.port}/postgres`);
  await write(primary, 'kept');
  await shows('kept');
  await until(async () => (await standby.query(`SELECT 1 FROM tags WHERE label = 'kept'`)).length > 0);
  await standby.query(`ALTER SYSTEM SET primary_conninfo = ''`);
  await standby.query('SELECT pg_reload_conf()');
  await until(async () => (await standby.query('SELECT 1 FROM pg_stat_wal_receiver')).length === 0);
  await write(primary, 'lost');
  await shows('lost');
  await primary.stop('SIGQUIT');
  standby.promote();
  proxy.target = standby.port;
  proxy.drop();
  // another row, so that nothing but the failover tells that the first one is as before
  await standby.query(
    `UPDATE tags SET label = 'after' WHERE id = (SELECT max(id) FROM tags WHERE published_at IS NOT NULL)`,
  );
  await shows('after');
  await shows('kept');
  expect(await source()).toMatchObject({ failuresInARow: 0 });
  await primary.start();
});

test('a pooler of transactions is read through', async () => {
  const port = await startPooler(primary);
  const { shows, source, lines } = await follow(`postgres://strapi@127.0.0.1:${port}/postgres`);
  // other clients take turns on the same connection of the server
  const others = Array.from({ length: 3 }, async () => {
    for (let n = 0; n < 20; n++) await primary.query('SELECT 1');
  });
  for (const label of ['pooled-one', 'pooled-two']) {
    await write(primary, label);
    await shows(label);
  }
  await Promise.all(others);
  expect(await source()).toMatchObject({ failuresInARow: 0 });
  expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
});

/** Starts PgBouncer with one connection to the server, and returns its port. */
async function startPooler(server: PostgresServer): Promise<number> {
  const folder = temporaryFolder('lectern-pooler-');
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: 1,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const target = `postgres = host=127.0.0.1 port=${server.port} dbname=postgres user=strapi`;
  writeFileSync(file, `[databases]\n${target}\n\n[pgbouncer]\n${lines.join('\n')}\n`);
  if (serverUser) for (const path of [folder, file]) chownSync(path, serverUser.uid, serverUser.gid);
  const program = '/usr/sbin/pgbouncer';
  installPackage('pgbouncer', program);
  const child = spawn(program, [file], { cwd: '/', ...serverUser, stdio: 'ignore' });
  ends.push(() => child.kill('SIGINT'));
  await until(async () => {
    const socket = await import('node:net').then(({ connect }) => connect(port, '127.0.0.1'));
    return new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  });
  return port;
}
