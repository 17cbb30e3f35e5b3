/** Servers of every kind, each with a database that has the museum, for tests of what has to be the same on all. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { unpackProject } from '../../load/project/recorded-projects.ts';
import { isMysql, MysqlServer, withIds } from '../mysql/mysql-server.ts';
import { exportOf as exportOfMariadb, restore as restoreOnMariadb } from '../mysql/recorded.ts';
import { PostgresServer } from '../postgres/postgres-server.ts';
import { exportOf as exportOfPostgres, restore as restoreOnPostgres } from '../postgres/recorded.ts';

/** What of an address of a database differs from that of the museum with its owner. */
export interface Address {
  readonly user?: string;
  readonly password?: string;
  readonly host?: string;
  readonly port?: number;
  readonly database?: string;
  /** Such as `?sslmode=require`. */
  readonly parameters?: string;
}

/** A session of the superuser. */
export interface Session {
  /** Runs statements. Returns the rows of the last one. */
  query(sql: string): Promise<unknown[][]>;
  end(): Promise<void>;
}

export interface MuseumServer {
  readonly client: 'postgres' | 'mysql';
  readonly port: number;
  /** The export of the museum. */
  readonly export: string;
  /** Makes a database with the museum, or an empty one. */
  create(database: string, content?: 'museum'): Promise<void>;
  /** Runs statements as the superuser. Returns the first column of the rows of the last one. */
  run(sql: string, database?: string): Promise<string[]>;
  connect(database?: string): Promise<Session>;
  /** Returns the statements that a user has sent so far, if the server was started to log them. Some servers add errors. */
  statementsOf(user: string): Promise<string[]>;
  /** The statement that reads how many connections a user has, and how many seconds its oldest transaction has lasted. */
  activityOf(user: string): string;
  /** The statement that reads the ids of the sessions of a user. */
  sessionsOf(user: string): string;
  /** Makes a user whose password is asked for, and who may read some tables of the museum. */
  addReader(user: string, password: string, tables: readonly string[]): Promise<void>;
  setPassword(user: string, password: string): Promise<void>;
  /** Ends the sessions of a user. */
  endSessions(user: string): Promise<void>;
  urlOf(address?: Address): string;
  start(): Promise<void>;
  /** Stops the server as an administrator does, or kills it. */
  stop(isKilled?: boolean): Promise<void>;
}

async function startPostgres(...settings: readonly string[]): Promise<MuseumServer> {
  const server = await PostgresServer.start('password_encryption=scram-sha-256', ...settings);
  const connect = async (database = 'museum'): Promise<Session> => {
    const client = await server.connect(database);
    return {
      async query(sql) {
        const result = (await client.query({ text: sql, rowMode: 'array' })) as unknown;
        return ((Array.isArray(result) ? result.at(-1) : result) as { rows: unknown[][] }).rows;
      },
      end: () => client.end(),
    };
  };
  const run = runnerOf(connect);
  const museum: MuseumServer = {
    client: 'postgres',
    port: server.port,
    export: exportOfPostgres('museum'),
    async create(database, content) {
      await server.query(`CREATE DATABASE ${database}`);
      if (content) restoreOnPostgres(content, server, database);
    },
    connect,
    run,
    async statementsOf(user) {
      const lines = server.log.split('\n').filter((line) => line.startsWith(`${user}|`));
      const messages = lines.flatMap(
        (line) => /(?:LOG: {2}statement: |(?=LOG: {2}execute|ERROR: ))(.*)/.exec(line)?.[1] ?? [],
      );
      return messages.flatMap((message) => message.split('; '));
    },
    activityOf: (user) =>
      `SELECT count(*)::int, coalesce(extract(epoch FROM max(clock_timestamp() - xact_start)), 0)::float FROM pg_stat_activity WHERE usename = '${user}'`,
    sessionsOf: (user) => `SELECT pid::text FROM pg_stat_activity WHERE usename = '${user}'`,
    async addReader(user, password, tables) {
      await run(`CREATE ROLE ${user} LOGIN PASSWORD '${password}'; GRANT SELECT ON ${tables.join(', ')} TO ${user}`);
      await server.allow(`host all ${user} 127.0.0.1/32 scram-sha-256`);
    },
    setPassword: async (user, password) => void (await run(`ALTER ROLE ${user} PASSWORD '${password}'`)),
    endSessions: async (user) =>
      void (await run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${user}'`)),
    urlOf: (address = {}) => addressOf('postgres', { user: 'strapi', port: server.port, ...address }),
    start: () => server.start(),
    stop: (isKilled) => server.stop(isKilled ? 'SIGQUIT' : 'SIGINT'),
  };
  await museum.create('museum', 'museum');
  return museum;
}

async function startMariadb(...settings: readonly string[]): Promise<MuseumServer> {
  const server = await MysqlServer.start(undefined, ...withIds, ...(isMysql ? [] : ['--debug-no-sync']), ...settings);
  const connect = async (database = 'museum'): Promise<Session> => {
    const socketPath = join(server.folder, 'server.sock');
    const connection = await createConnection({ socketPath, user: 'root', database, multipleStatements: true });
    connection.on('error', () => {});
    return {
      async query(sql) {
        const [rows] = await connection.query({ sql, rowsAsArray: true });
        const ofStatements = rows as unknown as (unknown[][] | object)[];
        const last = /;./s.test(sql.trim()) ? ofStatements.at(-1) : ofStatements;
        return Array.isArray(last) ? last : [];
      },
      end: () => connection.end(),
    };
  };
  const run = runnerOf(connect);
  const museum: MuseumServer = {
    client: 'mysql',
    port: server.port,
    export: exportOfMariadb('museum'),
    async create(database, content) {
      if (content) restoreOnMariadb(content, server, database);
      else server.query(`CREATE DATABASE ${database}`);
    },
    connect,
    run,
    statementsOf: (user) =>
      run(
        `SELECT argument FROM mysql.general_log WHERE user_host LIKE '${user}[%' AND command_type NOT IN ('Connect', 'Quit') ORDER BY event_time`,
      ),
    activityOf: (user) =>
      `SELECT count(*), coalesce(max(timestampdiff(MICROSECOND, trx_started, now(6))), 0) / 1e6 FROM information_schema.processlist LEFT JOIN information_schema.innodb_trx ON trx_mysql_thread_id = id WHERE user = '${user}'`,
    sessionsOf: (user) => `SELECT id FROM information_schema.processlist WHERE user = '${user}'`,
    async addReader(user, password, tables) {
      const grants = tables.map((table) => `GRANT SELECT ON museum.${table} TO ${user}@'127.0.0.1'`);
      await run([`CREATE USER ${user}@'127.0.0.1' IDENTIFIED BY '${password}'`, ...grants].join(';\n'));
    },
    setPassword: async (user, password) =>
      void (await run(`ALTER USER ${user}@'127.0.0.1' IDENTIFIED BY '${password}'`)),
    async endSessions(user) {
      const ids = await run(museum.sessionsOf(user));
      // a session may have ended meanwhile
      for (const id of ids) await run(`KILL CONNECTION ${id}`).catch(() => {});
    },
    urlOf: (address = {}) => {
      const { user, password } = server.location;
      return addressOf('mysql', { user: user!, password: password!, port: server.port, ...address });
    },
    start: () => server.start(),
    stop: (isKilled) => server.stop(isKilled ? 'SIGKILL' : 'SIGTERM'),
  };
  await museum.create('museum', 'museum');
  return museum;
}

const { POSTGRES_PROGRAMS, MYSQL_PROGRAMS } = process.env;

type StartedServer = [name: string, start: typeof startPostgres, logged: readonly string[]];

const postgres: StartedServer = ['PostgreSQL', startPostgres, ['log_statement=all', 'log_line_prefix=%u|']];
const mysql: StartedServer = [isMysql ? 'MySQL' : 'MariaDB', startMariadb, ['--general-log=ON', '--log-output=TABLE']];

/**
 * How a server of each kind is started, and the settings by which it logs all statements. A run with the programs of one kind
 * leaves the other out.
 */
export const museumServers = [
  ...(MYSQL_PROGRAMS && !POSTGRES_PROGRAMS ? [] : [postgres]),
  ...(POSTGRES_PROGRAMS && !MYSQL_PROGRAMS ? [] : [mysql]),
];

function runnerOf(connect: MuseumServer['connect']): MuseumServer['run'] {
  return async (sql, database) => {
    const session = await connect(database);
    try {
      return (await session.query(sql)).map(([first]) => String(first));
    } finally {
      await session.end();
    }
  };
}

function addressOf(client: string, address: Address & { user: string; port: number }): string {
  const { user, password, host = '127.0.0.1', port, database = 'museum', parameters = '' } = address;
  const secret = password === undefined ? '' : `:${encodeURIComponent(password)}`;
  return `${client}://${user}${secret}@${host}:${port}/${database}${parameters}`;
}

/** Returns the tables of the museum. */
export function tablesOf({ client, run }: MuseumServer): Promise<string[]> {
  const schema = client === 'mysql' ? 'database()' : 'current_schema()';
  return run(`SELECT table_name FROM information_schema.tables WHERE table_schema = ${schema}`);
}

/** Gives the first published tag a label, as Strapi does. */
export async function writeLabel({ run }: Pick<MuseumServer, 'run'>, label: string): Promise<void> {
  // MySQL reads the table that an update changes only within another select
  const first = '(SELECT id FROM (SELECT min(id) AS id FROM tags WHERE published_at IS NOT NULL) AS first)';
  await run(`UPDATE tags SET label = '${label}', updated_at = localtimestamp(6) WHERE id = ${first}`);
}

/** Returns a copy of the folder of the museum whose database is at an address. */
export function museumAt(url: string): string {
  const folder = unpackProject('museum');
  const connection = "{ client: env('DATABASE_CLIENT'), connection: { connectionString: env('DATABASE_URL') } }";
  writeFileSync(
    join(folder, 'config', 'database.js'),
    `module.exports = ({ env }) => ({ connection: ${connection} });\n`,
  );
  appendFileSync(join(folder, '.env'), `\nDATABASE_CLIENT=${url.slice(0, url.indexOf(':'))}\nDATABASE_URL=${url}\n`);
  return folder;
}

/** Replaces a text in the environment of a project. */
export function changeEnvironment(folder: string, before: string, after: string): void {
  const file = join(folder, '.env');
  writeFileSync(file, readFileSync(file, 'utf8').replace(before, after));
}
