/** A PostgreSQL cluster of the comparison's own, below the scratch folder, on the loopback interface only. */
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../support/cli.ts';
import { type Running, run, start } from './processes.ts';

export interface DatabaseServer extends Running {
  port: number;
}

const versions = '/usr/lib/postgresql';

/**
 * `strapi export` reads a table page by page and names no order. Where each scan of a large table begins where the
 * last one stopped, the export has some entries twice and others not at all.
 */
const alike = 'synchronize_seqscans=off';

/** Starts the cluster, after making it if it is not there. With `empty` what was in it is thrown away. */
export async function startDatabase(folder: string, empty: boolean): Promise<DatabaseServer> {
  const programs = await findPrograms(folder);
  const data = join(folder, 'database');
  const user = unprivilegedUser();
  if (empty) rmSync(data, { recursive: true, force: true });
  if (!existsSync(join(data, 'PG_VERSION'))) {
    mkdirSync(data, { recursive: true });
    if (user) chownSync(data, user.uid, user.gid);
    await run({
      program: join(programs, 'initdb'),
      args: ['-D', data, '-U', 'strapi', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
      cwd: '/',
      log: join(folder, 'initdb.log'),
      user,
    });
  }
  const port = await freePort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', alike];
  const server = start({
    program: join(programs, 'postgres'),
    args: ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
    cwd: '/',
    log: join(folder, 'postgres.log'),
    user,
  });
  await server.ready(() => answers(port));
  return { ...server, port, stop: () => server.stop('SIGINT') };
}

/** The folder of PostgreSQL's programs: the newest version's. Installs the package where there is none. */
export async function findPrograms(folder: string): Promise<string> {
  if (installedPrograms() === null) {
    console.log('Installing the package postgresql');
    const log = join(folder, 'apt.log');
    await run({ program: 'apt-get', args: ['update'], cwd: '/', log });
    const environment = { DEBIAN_FRONTEND: 'noninteractive' };
    await run({ program: 'apt-get', args: ['install', '-y', 'postgresql'], cwd: '/', log, environment });
  }
  return installedPrograms()!;
}

/** The folder of PostgreSQL's programs: the newest version's. Null where the package is not installed. */
export function installedPrograms(): string | null {
  if (!existsSync(versions)) return null;
  const [newest] = readdirSync(versions).sort((a, b) => Number(b) - Number(a));
  return join(versions, newest, 'bin');
}

/** PostgreSQL refuses to run as root; its package makes a user for it. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Whether the server takes connections and answers the first bytes of its protocol (a request for TLS). */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])));
    socket.once('data', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => resolve(false)).once('data', () => socket.destroy());
  });
}
