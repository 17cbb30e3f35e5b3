/** The only connection to a MySQL or MariaDB database. */
import type { Connection, ConnectionOptions } from 'mysql2';
import { SourceAwayError } from '../../../core/errors.ts';
import type { DatabaseValue } from '../database.ts';
import { nameOfLocation, type ServerLocation } from '../location.ts';
import { mysqlError } from './mysql-errors.ts';
import { type Field, readField } from './mysql-values.ts';

/** Milliseconds within which a connection is made, and within which a part of an answer arrives. */
const connectLimit = 5000;
const answerLimit = 6000;

/** The rows of a statement. */
export type Rows = DatabaseValue[][];

/** The mode of statements: names are in double quotes, and backslashes escape, whatever the server is set to. */
const mode = "SET SESSION sql_mode = 'ANSI_QUOTES'";

export class MysqlConnection {
  readonly #connection: Connection;
  readonly #location: ServerLocation;
  #lost: Error | null = null;

  private constructor(connection: Connection, location: ServerLocation) {
    this.#connection = connection;
    this.#location = location;
    connection.on('error', (error) => (this.#lost = error));
    connection.on('end', () => (this.#lost ??= new Error('the server closed the connection')));
  }

  /** Rejects with a SnapshotError that says what to do: a SourceAwayError if the server may be reached later. */
  static async open(location: ServerLocation): Promise<MysqlConnection> {
    const { createConnection } = await import('mysql2');
    const connection = new MysqlConnection(createConnection(optionsOf(location)), location);
    try {
      await connection.#connected();
      await connection.run(mode);
      return connection;
    } catch (error) {
      connection.destroy();
      throw mysqlError(error, location);
    }
  }

  #connected(): Promise<void> {
    return new Promise((resolve, reject) => this.#connection.connect((error) => (error ? reject(error) : resolve())));
  }

  get isLost(): boolean {
    return this.#lost !== null;
  }

  /**
   * Runs a statement and returns its rows. `parameters` replace its `?` in turn. Rejects as `open` does. Must not be called
   * while another statement waits for its answer.
   */
  async run(sql: string, parameters: readonly DatabaseValue[] = []): Promise<Rows> {
    for await (const all of this.parts(sql, parameters, Number.POSITIVE_INFINITY)) return all;
    return [];
  }

  /** Yields the rows of a statement in parts of at most `size`. Reads on when the next part is asked for. Rejects as `run`. */
  async *parts(sql: string, parameters: readonly DatabaseValue[], size: number): AsyncGenerator<Rows> {
    if (this.#lost) throw mysqlError(this.#lost, this.#location);
    const query = this.#connection.query({
      sql,
      values: [...parameters],
      rowsAsArray: true,
      typeCast: (field) => readField(field as unknown as Field),
    });
    const rows = query.stream({ highWaterMark: 500 });
    /** Since when the next part is awaited; null while it is not. */
    let awaitedSince: number | null = performance.now();
    const timer = setInterval(() => {
      if (awaitedSince === null || performance.now() - awaitedSince < answerLimit) return;
      rows.destroy(new SourceAwayError([`${nameOfLocation(this.#location)}: does not answer`]));
    }, 500);
    let isRead = false;
    try {
      let part: Rows = [];
      for await (const row of rows) {
        // a statement that returns no rows has a header in their place
        if (!Array.isArray(row)) continue;
        part.push(row);
        if (part.length < size) continue;
        awaitedSince = null;
        yield part;
        awaitedSince = performance.now();
        part = [];
      }
      isRead = true;
      if (part.length > 0) yield part;
    } catch (error) {
      // the server has answered a statement that it rejects, so that the connection can be used again
      isRead = (error as { sqlState?: unknown }).sqlState !== undefined;
      throw mysqlError(error, this.#location);
    } finally {
      clearInterval(timer);
      if (!isRead) this.destroy();
    }
  }

  /** Ends the connection at once. The server rolls a transaction back. */
  destroy(): void {
    this.#lost ??= new Error('it is closed');
    this.#connection.destroy();
  }
}

function optionsOf({ host, port, database, user, password, tls }: ServerLocation): ConnectionOptions {
  return {
    ...(host.startsWith('/') ? { socketPath: host } : { host, port }),
    database,
    user: user ?? undefined,
    password: password ?? undefined,
    ...(tls && {
      ssl: {
        rejectUnauthorized: tls.rejectUnauthorized,
        ca: tls.ca ?? undefined,
        cert: tls.cert ?? undefined,
        key: tls.key ?? undefined,
      },
    }),
    connectTimeout: connectLimit,
    enableKeepAlive: true,
    charset: 'utf8mb4',
    connectAttributes: { program_name: 'lectern' },
  };
}
