/** A MariaDB or MySQL server for a test, on the loopback interface. */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerLocation } from '../../../src/load/database/location.ts';
import { freePort } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { installPackage, unprivilegedUser } from '../server-programs.ts';

/** The folder of the server's programs. Undefined for the MariaDB of the machine. */
const programs = process.env.MYSQL_PROGRAMS;

export const isMysql = programs !== undefined && !existsSync(join(programs, 'mariadbd'));

/** Settings without the log of the server, which MySQL keeps by default, and with a log that gives ids to transactions. */
export const withoutLog = ['--skip-log-bin'];
export const withIds = [
  '--log-bin',
  '--server-id=1',
  ...(isMysql ? ['--gtid-mode=ON', '--enforce-gtid-consistency=ON'] : []),
];

/** Settings of each MySQL: no second port, no folder of Debian's package, and no wait for the disk. */
const mysqlSettings = [
  '--mysqlx=OFF',
  '--secure-file-priv=NULL',
  '--innodb-flush-method=nosync',
  '--innodb-doublewrite=OFF',
  '--sync-binlog=0',
];

/** Settings without TLS, which newer servers offer by default. */
export const withoutTls = [isMysql ? '--tls-version=' : '--skip-ssl'];

/** Returns the path of a program, by its name in MariaDB. */
function pathOf(name: string): string {
  if (programs === undefined) {
    installPackage('mariadb-server', '/usr/sbin/mariadbd');
    return name === 'mariadbd' ? '/usr/sbin/mariadbd' : join('/usr/bin', name);
  }
  return join(programs, isMysql ? name.replace(/^mariadb-?/, 'mysql') : name);
}

/** Milliseconds within which a server answers; a busy machine may need ten times as long as an idle one. */
const startTime = 120_000;

export const user = 'strapi';
export const password = 'strapi-password';

export class MysqlServer {
  readonly port: number;
  readonly folder: string;
  readonly #settings: readonly string[];
  #process: ReturnType<typeof spawn> | null = null;

  private constructor(folder: string, port: number, settings: readonly string[]) {
    this.folder = folder;
    this.port = port;
    this.#settings = settings;
  }

  /**
   * Starts a server with the data in a folder, after making them if there are none: the empty database `strapi` and its
   * owner. `settings` are such as `--log-bin`.
   */
  static async start(
    folder = join(temporaryFolder('lectern-mysql-'), 'data'),
    ...settings: readonly string[]
  ): Promise<MysqlServer> {
    if (!existsSync(join(folder, 'mysql'))) makeData(folder);
    const server = new MysqlServer(folder, await freePort(), settings);
    await server.start();
    server.query(
      `CREATE DATABASE IF NOT EXISTS strapi CHARACTER SET utf8mb4; CREATE USER IF NOT EXISTS ${user}@'127.0.0.1' ` +
        `IDENTIFIED BY '${password}'; GRANT ALL ON *.* TO ${user}@'127.0.0.1'`,
    );
    return server;
  }

  get pid(): number {
    return this.#process!.pid!;
  }

  /** The database as its owner finds it. */
  get location(): ServerLocation {
    const { port } = this;
    return { client: 'mysql', host: '127.0.0.1', port, database: 'strapi', schema: null, user, password, tls: null };
  }

  /** The database as variables of Strapi's template. */
  get variables(): Record<string, string> {
    return this.variablesOf('strapi');
  }

  variablesOf(database: string): Record<string, string> {
    return {
      DATABASE_CLIENT: 'mysql',
      DATABASE_HOST: '127.0.0.1',
      DATABASE_PORT: String(this.port),
      DATABASE_NAME: database,
      DATABASE_USERNAME: user,
      DATABASE_PASSWORD: password,
    };
  }

  async start(): Promise<void> {
    // a server that starts deletes the temporary tables of others in the same folder
    const fixed = [
      `--tmpdir=${dirname(this.folder)}`,
      `--datadir=${this.folder}`,
      `--socket=${this.#socket}`,
      `--port=${this.port}`,
    ];
    const fast = ['--bind-address=127.0.0.1', '--innodb-flush-log-at-trx-commit=0'];
    const output = openSync(join(this.folder, 'server.log'), 'a');
    const own = isMysql ? mysqlSettings : [];
    const args = ['--no-defaults', ...fixed, ...fast, ...own, ...this.#settings];
    const child = spawn(pathOf('mariadbd'), args, {
      cwd: '/',
      ...unprivilegedUser('mysql'),
      stdio: ['ignore', output, output],
    });
    this.#process = child;
    process.once('exit', () => child.kill('SIGKILL'));
    for (const deadline = Date.now() + startTime; !this.#answers(); await sleep(50)) {
      const hasEnded = child.exitCode !== null || child.signalCode !== null;
      if (hasEnded || Date.now() > deadline) {
        // the folder is gone when the message is read
        const log = readFileSync(join(this.folder, 'server.log'), 'utf8').slice(-2000);
        throw new Error(`The server ${hasEnded ? 'ended' : 'does not start in time'}: ${log}`);
      }
    }
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  /** Runs statements as the superuser. Returns the rows of the last one as lines, with tabs between the columns. */
  query(sql: string, database = 'mysql'): string {
    return this.#run('mariadb', ['-N', '-B', database], sql);
  }

  /** Takes over what is committed on a server with ids of transactions, and refuses other writes. */
  replicate(primary: MysqlServer): void {
    const source = { HOST: `'127.0.0.1'`, PORT: primary.port, USER: `'${user}'`, PASSWORD: `'${password}'` };
    const options = (prefix: string) => Object.entries(source).map(([name, value]) => `${prefix}_${name} = ${value}`);
    this.query(
      isMysql
        ? `CHANGE REPLICATION SOURCE TO ${options('SOURCE')}, SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1; START REPLICA`
        : `CHANGE MASTER TO ${options('MASTER')}, MASTER_USE_GTID = slave_pos; START SLAVE`,
    );
    this.query('SET GLOBAL read_only = 1');
  }

  /** Takes over nothing more. */
  endReplication(): void {
    this.query(isMysql ? 'STOP REPLICA' : 'STOP SLAVE');
  }

  /** Takes writes in the place of the primary. */
  promote(): void {
    this.endReplication();
    this.query('SET GLOBAL read_only = 0');
  }

  /** Returns the statements that make the database `strapi`. */
  dump(): string {
    const own = isMysql ? ['--no-tablespaces', '--set-gtid-purged=OFF', '--column-statistics=0'] : [];
    return this.#run('mariadb-dump', ['--skip-dump-date', '--skip-comments', ...own, 'strapi'], '');
  }

  #answers(): boolean {
    try {
      this.query('SELECT 1');
      return true;
    } catch {
      return false;
    }
  }

  get #socket(): string {
    return join(this.folder, 'server.sock');
  }

  #run(name: string, args: readonly string[], input: string): string {
    const options = ['--no-defaults', `--socket=${this.#socket}`, '-u', 'root'];
    // newer clients of MariaDB insist on TLS, which a test may turn off
    if (!isMysql) options.push('--skip-ssl');
    const maxBuffer = 2 ** 30;
    return execFileSync(pathOf(name), [...options, ...args], { input, encoding: 'utf8', maxBuffer, stdio: 'pipe' });
  }
}

/** Makes the data of a server whose superuser is `root`, without password. */
function makeData(folder: string): void {
  const owner = unprivilegedUser('mysql');
  mkdirSync(folder, { recursive: true });
  if (owner) for (const path of [dirname(folder), folder]) chownSync(path, owner.uid, owner.gid);
  const [program, ...options] = isMysql
    ? ['mariadbd', '--initialize-insecure']
    : ['mariadb-install-db', '--auth-root-authentication-method=normal', '--skip-test-db'];
  // the owner may not write to the temporary folder of this process
  const args = ['--no-defaults', `--datadir=${folder}`, `--tmpdir=${dirname(folder)}`, ...options];
  execFileSync(pathOf(program), args, { cwd: '/', ...owner, stdio: 'pipe' });
}
