/** Where the database of a Strapi project is, by its configuration and environment. */
import { resolve } from 'node:path';
import { SnapshotError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { parseConnectionString } from '../database/connection-string.ts';
import type { DatabaseLocation, ServerLocation, ServerTls } from '../database/location.ts';
import { configured } from './configuration.ts';
import { NotConstantError } from './source/scope.ts';

type Variables = ReadonlyMap<string, string>;

const otherWays =
  'write an export with "strapi export --no-encrypt", or read over REST with "lectern pull" or "lectern serve URL --follow"';

/**
 * Returns the database that the code in `config/database` names, which is not run. What cannot be read of it is taken from
 * the variables of Strapi's own template, such as DATABASE_HOST. Throws a SnapshotError if neither says it, and if the
 * database is of a kind that is not read.
 */
export function databaseLocationOf(project: string, variables: Variables): DatabaseLocation {
  const { client = 'sqlite', filename } = readConnection(project, variables);
  if (/^(better-)?sqlite3?$/.test(client)) return { client: 'sqlite', file: resolve(project, filename) };
  const server = servers.find(({ names }) => names.test(client));
  if (server) return serverLocation(project, server, new DatabaseSettings(project, variables));
  throw new SnapshotError([
    `${project}: the project uses the database ${client}; only SQLite, PostgreSQL, MySQL and MariaDB are read from a project's folder; ${otherWays}`,
  ]);
}

interface Connection {
  readonly client: string | undefined;
  /** Of SQLite. */
  readonly filename: string;
}

/** Returns what `config/database` says, or what DATABASE_CLIENT and DATABASE_FILENAME say if it cannot be read. */
function readConnection(project: string, variables: Variables): Connection {
  try {
    const client = configured(project, 'database', ['connection', 'client'], variables);
    const isSqlite = client === undefined || /sqlite/.test(String(client));
    const path = ['connection', 'connection', 'filename'];
    const filename = isSqlite ? configured(project, 'database', path, variables) : '';
    if (typeof filename !== 'string') throw new SnapshotError([`${unread(project)}: it names no file`]);
    return { client: client === undefined ? undefined : String(client), filename };
  } catch (error) {
    const filename = variables.get('DATABASE_FILENAME');
    const client = variables.get('DATABASE_CLIENT');
    if (client !== undefined && !/sqlite/.test(client)) return { client, filename: '' };
    if (filename !== undefined) return { client, filename };
    if (error instanceof SnapshotError) throw error;
    if (!(error instanceof NotConstantError)) throw error;
    const { file, node, message } = error;
    throw new SnapshotError([`${unread(project)}: ${file.name}:${node.loc.start.line}: ${message}`]);
  }
}

/** Stands for a value that code computes. */
const isCode = Symbol('code');

/** No variable stands in for code. */
const noVariable = () => ({ value: undefined, isFound: false });

/** Returns the name of a variable of Strapi's template, such as DATABASE_SSL_CA. */
function sslVariable(name: string): string {
  return `DATABASE_SSL_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;
}

/** The connection string has no variable that is used without the project's naming it. */
function remedyFor(path: readonly string[]): string {
  if (path.at(-1) === 'connectionString') return "write it as env('DATABASE_URL'), and set that variable";
  return "set the variables of Strapi's template in .env or in the environment, such as DATABASE_HOST";
}

function unread(project: string): string {
  return `${project}: DATABASE_CLIENT and DATABASE_FILENAME have to be set in .env or in the environment, because the database cannot be read from config/database`;
}

interface Server {
  readonly client: ServerLocation['client'];
  /** What a configuration may call the client. */
  readonly names: RegExp;
  readonly port: number;
}

const servers: readonly Server[] = [
  { client: 'postgres', names: /^(pg|postgres|postgresql)$/, port: 5432 },
  { client: 'mysql', names: /^(mysql2?|mariadb)$/, port: 3306 },
];

function serverLocation(project: string, server: Server, read: DatabaseSettings): ServerLocation {
  const { client } = server;
  const given = read.connectionString();
  const schema = client === 'postgres' ? (read.text(['connection', 'schema'], 'DATABASE_SCHEMA') ?? null) : null;
  const tls = read.tls();
  if (given !== null) {
    const parsed = parseConnectionString(given);
    if (parsed?.client !== client) {
      throw new SnapshotError([
        `${project}: the connection string of config/database is not of the form ${client}://USER:PASSWORD@HOST:PORT/DATABASE`,
      ]);
    }
    return { ...parsed, schema, tls: parsed.tls === undefined ? tls : parsed.tls };
  }
  const text = (name: string, variable: string) => read.text(['connection', name], variable);
  const written = text('port', 'DATABASE_PORT') ?? String(server.port);
  const port = Number(written);
  const database = text('database', 'DATABASE_NAME');
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new SnapshotError([`${project}: config/database: connection.port is no port: ${JSON.stringify(written)}`]);
  }
  if (!database) throw new SnapshotError([`${project}: config/database: connection.database names no database`]);
  return {
    client,
    host: text('host', 'DATABASE_HOST') || 'localhost',
    port,
    database,
    schema,
    user: text('user', 'DATABASE_USERNAME') ?? null,
    password: text('password', 'DATABASE_PASSWORD') ?? null,
    tls,
  };
}

/** Reads the values below `connection` of `config/database`. */
class DatabaseSettings {
  readonly #project: string;
  readonly #variables: Variables;

  constructor(project: string, variables: Variables) {
    this.#project = project;
    this.#variables = variables;
  }

  /** Returns a value as text, or that of the variable if the code computes it; undefined if there is none. */
  text(path: readonly string[], variable: string): string | undefined {
    const value = this.#read(path, () => {
      const written = this.#variables.get(variable);
      return { value: written, isFound: written !== undefined };
    });
    return value === undefined || value === null ? undefined : String(value);
  }

  /** Returns the connection string, or null. Knex takes it in place of the settings, too. */
  connectionString(): string | null {
    // an object may have parts that are code
    const whole = this.#read(['connection'], () => ({ value: undefined, isFound: true }));
    const given = typeof whole === 'string' ? whole : this.#read(['connection', 'connectionString'], noVariable);
    return typeof given === 'string' && given !== '' ? given : null;
  }

  /** Throws a SnapshotError if a part cannot be read, because the connection would be less safe without it. */
  tls(): ServerTls | null {
    const ssl = this.#read(['connection', 'ssl'], () => ({ value: isCode, isFound: true }));
    if (ssl === false || ssl === 'false' || ssl === null || ssl === '') return null;
    const isOn = ssl === true || ssl === 'true' || isPlainObject(ssl);
    if (!isOn && ssl !== undefined && ssl !== isCode) {
      throw new SnapshotError([
        `${this.#project}: config/database: connection.ssl is neither true, false nor an object`,
      ]);
    }
    // code in one part, such as checkServerIdentity, hides the others when the whole is read
    const [ca, cert, key] = ['ca', 'cert', 'key'].map((name) => this.#pem(name));
    const rejectUnauthorized = this.text(
      ['connection', 'ssl', 'rejectUnauthorized'],
      sslVariable('rejectUnauthorized'),
    );
    const isWritten = isOn || [ca, cert, key, rejectUnauthorized].some((part) => part !== null && part !== undefined);
    if (isWritten) return { rejectUnauthorized: rejectUnauthorized !== 'false', ca, cert, key };
    const isVariable = this.#variables.get('DATABASE_SSL');
    if (ssl === undefined || isVariable === 'false') return null;
    if (isVariable === 'true') return { rejectUnauthorized: true, ca, cert, key };
    throw new SnapshotError([
      `${this.#project}: config/database: connection.ssl is code that cannot be read; set DATABASE_SSL to true or false in .env or in the environment`,
    ]);
  }

  /** Returns certificates or a key, or null. */
  #pem(name: string): string | null {
    const variable = sslVariable(name);
    const path = ['connection', 'ssl', name];
    const value = this.#read(path, () => ({
      value: this.#variables.get(variable),
      isFound: this.#variables.has(variable),
    }));
    if (value === undefined || value === null || value === '') return null;
    const text = Array.isArray(value) ? value.join('\n') : String(value);
    if (text.includes('-----BEGIN ')) return text;
    throw new SnapshotError([
      `${this.#project}: config/database: connection.ssl.${name} is no text in PEM form, which begins with -----BEGIN`,
    ]);
  }

  /** `instead` returns what is used if the code computes the value, and whether there is any. */
  #read(path: readonly string[], instead: () => { value: unknown; isFound: boolean }): unknown {
    try {
      return configured(this.#project, 'database', ['connection', ...path], this.#variables);
    } catch (error) {
      const { value, isFound } = instead();
      if (isFound) return value;
      if (!(error instanceof NotConstantError)) throw error;
      const { file, node, message } = error;
      throw new SnapshotError([
        `${this.#project}: ${file.name}:${node.loc.start.line}: connection.${path.join('.')} cannot be read: ${message}; ${remedyFor(path)}`,
      ]);
    }
  }
}
