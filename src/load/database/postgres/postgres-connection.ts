/** The only connection to a PostgreSQL database. Keeps no state in it, so that poolers of transactions work. */
import type { Client, ClientConfig, QueryArrayResult } from 'pg';
import { SourceAwayError } from '../../../core/errors.ts';
import type { DatabaseValue } from '../database.ts';
import { nameOfLocation, type ServerLocation } from '../location.ts';
import { postgresError } from './postgres-errors.ts';
import { parserOf } from './postgres-values.ts';

/** Milliseconds within which a connection is made, and within which a message is answered. */
const connectLimit = 5000;
const answerLimit = 6000;

/** The rows of a statement. */
export type Rows = DatabaseValue[][];

export class PostgresConnection {
  /** For messages. */
  readonly place: string;
  readonly #client: Client;
  readonly #location: ServerLocation;
  #lost: Error | null = null;

  private constructor(client: Client, location: ServerLocation) {
    this.place = nameOfLocation(location);
    this.#client = client;
    this.#location = location;
    client.on('error', (error) => (this.#lost = error));
    client.on('end', () => (this.#lost ??= new Error('the server closed the connection')));
  }

  /** Rejects with a SnapshotError that says what to do: a SourceAwayError if the server may be reached later. */
  static async open(location: ServerLocation): Promise<PostgresConnection> {
    const { default: pg } = await import('pg');
    const { host, port, database, user, password } = location;
    const client = new pg.Client({
      host,
      port,
      database,
      user: user ?? undefined,
      password: password ?? undefined,
      ssl: tlsOf(location),
      application_name: 'lectern',
      connectionTimeoutMillis: connectLimit,
      keepAlive: true,
      types: { getTypeParser: parserOf as never },
    });
    const connection = new PostgresConnection(client, location);
    try {
      await client.connect();
      return connection;
    } catch (error) {
      connection.destroy();
      throw postgresError(error, location);
    }
  }

  get isLost(): boolean {
    return this.#lost !== null;
  }

  /**
   * Sends statements in one message, without preparing them, and returns the rows of each. If one fails, the later ones
   * are not run. Rejects as `open` does. Must not be called while another message waits for its answer.
   */
  async run(...statements: readonly string[]): Promise<Rows[]> {
    if (this.#lost) throw this.#failure(this.#lost);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.destroy();
        reject(new SourceAwayError([`${this.place}: does not answer`]));
      }, answerLimit);
    });
    try {
      const query = { text: statements.join('; '), rowMode: 'array' as const };
      const answer = (await Promise.race([this.#client.query(query), late])) as
        | QueryArrayResult<DatabaseValue[]>
        | QueryArrayResult<DatabaseValue[]>[];
      return Array.isArray(answer) ? answer.map(({ rows }) => rows) : [answer.rows];
    } catch (error) {
      throw this.#failure(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the connection at once. The server rolls a transaction back. */
  destroy(): void {
    this.#lost ??= new Error('it is closed');
    const { stream } = (this.#client as unknown as { connection: { stream: { destroy(): void } } }).connection;
    stream.destroy();
  }

  #failure(error: unknown): Error {
    return postgresError(error, this.#location);
  }
}

function tlsOf({ tls }: ServerLocation): ClientConfig['ssl'] {
  if (!tls) return false;
  const { rejectUnauthorized, ca, cert, key } = tls;
  return { rejectUnauthorized, ca: ca ?? undefined, cert: cert ?? undefined, key: key ?? undefined };
}

/** Returns a text as a literal of SQL, whatever the server takes backslashes for. */
export function literal(value: DatabaseValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  const text = value instanceof Uint8Array ? Buffer.from(value).toString() : value;
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return text.includes('\\') ? `E${quoted}` : quoted;
}

/** Replaces each `?` outside quotes by the literal of the next parameter. */
export function withLiterals(sql: string, parameters: readonly DatabaseValue[]): string {
  if (parameters.length === 0) return sql;
  let next = 0;
  return sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g, (part) =>
    part === '?' ? literal(parameters[next++]) : part,
  );
}
