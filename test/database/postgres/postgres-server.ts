/** A PostgreSQL server for a test, on the loopback interface, in a temporary folder. */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { ServerLocation } from '../../../src/load/database/location.ts';
import { freePort } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { waitFor } from '../../support/wait.ts';
import { makeCertificate } from '../certificate.ts';
import { installPackage, unprivilegedUser } from '../server-programs.ts';

const versions = '/usr/lib/postgresql';

/** The folder of PostgreSQL's programs: that of the environment variable, or the newest of the machine. */
function findPrograms(): string {
  if (process.env.POSTGRES_PROGRAMS) return process.env.POSTGRES_PROGRAMS;
  installPackage('postgresql', versions);
  const [newest] = readdirSync(versions).sort((a, b) => Number(b) - Number(a));
  return join(versions, newest, 'bin');
}

export const programs = findPrograms();
/** PostgreSQL refuses to run as root. */
export const serverUser = unprivilegedUser('postgres');

function runProgram(name: string, args: readonly string[], env: Record<string, string> = {}): void {
  execFileSync(join(programs, name), args, { cwd: '/', ...serverUser, env: { ...process.env, ...env }, stdio: 'pipe' });
}

export class PostgresServer {
  readonly port: number;
  readonly folder: string;
  readonly #settings: readonly string[];
  #process: ReturnType<typeof spawn> | null = null;

  private constructor(folder: string, port: number, settings: readonly string[]) {
    this.folder = folder;
    this.port = port;
    this.#settings = settings;
  }

  /** Makes and starts a server whose superuser is `strapi`, without password. `settings` are such as `log_statement=all`. */
  static async start(...settings: readonly string[]): Promise<PostgresServer> {
    const folder = dataFolder();
    const locale = ['-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
    runProgram('initdb', ['-D', folder, '-U', 'strapi', '-A', 'trust', ...locale]);
    const server = new PostgresServer(folder, await freePort(), settings);
    await server.start();
    return server;
  }

  /** Makes and starts a hot standby of the server. */
  async startStandby(...settings: readonly string[]): Promise<PostgresServer> {
    const folder = dataFolder();
    const from = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'strapi'];
    runProgram('pg_basebackup', ['-D', folder, ...from, '-R', '-c', 'fast', '--no-sync']);
    const standby = new PostgresServer(folder, await freePort(), settings);
    await standby.start();
    return standby;
  }

  get log(): string {
    return readFileSync(join(this.folder, 'server.log'), 'utf8');
  }

  /** The database as its superuser finds it. */
  get location(): ServerLocation {
    const { port } = this;
    const rest = { database: 'postgres', schema: 'public', user: 'strapi', password: null, tls: null };
    return { client: 'postgres', host: '127.0.0.1', port, ...rest };
  }

  urlOf(database = 'postgres', user = 'strapi'): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  async start(): Promise<void> {
    const fixed = [`port=${this.port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
    const args = ['-D', this.folder, ...[...fixed, ...this.#settings].flatMap((setting) => ['-c', setting])];
    const output = openSync(join(this.folder, 'server.log'), 'a');
    const child = spawn(join(programs, 'postgres'), args, {
      cwd: '/',
      ...serverUser,
      stdio: ['ignore', output, output],
    });
    this.#process = child;
    process.once('exit', () => child.kill('SIGKILL'));
    await waitFor(async () => {
      const client = await this.connect();
      await client.end();
    });
  }

  /** Ends the server as `pg_ctl stop` does with `fast`, or at once with `SIGQUIT`. */
  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  promote(): void {
    runProgram('pg_ctl', ['promote', '-D', this.folder, '-w']);
  }

  /** Adds lines to pg_hba.conf before all others, and reads it. */
  async allow(lines: string): Promise<void> {
    const file = join(this.folder, 'pg_hba.conf');
    const before = readFileSync(file, 'utf8');
    execFileSync('tee', [file], { input: `${lines}\n${before}`, ...serverUser, stdio: ['pipe', 'ignore', 'inherit'] });
    await this.query('SELECT pg_reload_conf()');
  }

  /** Connects as the superuser. The caller ends the connection. */
  async connect(database = 'postgres'): Promise<pg.Client> {
    const client = new pg.Client({ host: '127.0.0.1', port: this.port, user: 'strapi', database });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  /** Runs statements as the superuser, and returns the rows of the last one. */
  async query(sql: string): Promise<Record<string, unknown>[]> {
    const client = await this.connect();
    try {
      const result = (await client.query(sql)) as unknown as pg.QueryResult | pg.QueryResult[];
      return (Array.isArray(result) ? result.at(-1)! : result).rows;
    } finally {
      await client.end();
    }
  }
}

/** Makes a certificate that no authority has signed, for localhost. */
export function serverCertificate(): { certificate: string; key: string } {
  return makeCertificate(serverUser);
}

function dataFolder(): string {
  const parent = temporaryFolder('lectern-postgres-');
  const folder = join(parent, 'data');
  mkdirSync(folder, { mode: 0o700 });
  if (serverUser) {
    chownSync(parent, serverUser.uid, serverUser.gid);
    chownSync(folder, serverUser.uid, serverUser.gid);
  }
  return folder;
}
