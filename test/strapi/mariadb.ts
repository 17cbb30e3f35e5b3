/** A MariaDB server of a test's own, below the scratch folder, on the loopback interface only. */
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../support/cli.ts';
import type { DatabaseServer } from './postgres.ts';
import { run, start } from './processes.ts';

const program = '/usr/sbin/mariadbd';

/** Starts the server, after making its data if there is none. With `empty`, throws away what was in it. */
export async function startMariadb(folder: string, empty: boolean): Promise<DatabaseServer> {
  await installMariadb(folder);
  const data = join(folder, 'mariadb');
  const user = { uid: idOf('-u'), gid: idOf('-g') };
  if (empty) rmSync(data, { recursive: true, force: true });
  if (!existsSync(join(data, 'mysql'))) {
    mkdirSync(data, { recursive: true });
    chownSync(data, user.uid, user.gid);
    const args = ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db'];
    await run({ program: 'mariadb-install-db', args, cwd: '/', log: join(folder, 'mariadb-install.log'), user });
  }
  const port = await freePort();
  const socket = join(data, 'server.sock');
  const server = start({
    program,
    args: ['--no-defaults', `--datadir=${data}`, `--socket=${socket}`, `--port=${port}`, '--bind-address=127.0.0.1'],
    cwd: '/',
    log: join(folder, 'mariadb.log'),
    user,
  });
  const query = (statement: string) =>
    execFileSync('mariadb', ['--no-defaults', `--socket=${socket}`, '-u', 'root', '-e', statement], { stdio: 'pipe' });
  await server.ready(async () => query('SELECT 1') !== null);
  query(
    "CREATE DATABASE IF NOT EXISTS strapi CHARACTER SET utf8mb4; CREATE USER IF NOT EXISTS strapi@'127.0.0.1' " +
      "IDENTIFIED BY 'strapi-password'; GRANT ALL ON strapi.* TO strapi@'127.0.0.1'",
  );
  return { ...server, port };
}

async function installMariadb(folder: string): Promise<void> {
  if (existsSync(program)) return;
  console.log('Installing the package mariadb-server');
  const log = join(folder, 'apt.log');
  await run({ program: 'apt-get', args: ['update'], cwd: '/', log });
  const environment = { DEBIAN_FRONTEND: 'noninteractive' };
  await run({ program: 'apt-get', args: ['install', '-y', 'mariadb-server'], cwd: '/', log, environment });
}

function idOf(flag: string): number {
  return Number(execFileSync('id', [flag, 'mysql'], { encoding: 'utf8' }));
}
