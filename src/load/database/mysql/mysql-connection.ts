/** The only connection to a MySQL or MariaDB database. */
import type { Connection, ConnectionOptions, QueryOptions } from 'mysql2';
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

/** Seconds after which the server ends a statement, and a wait for a table that is being changed. */
const statementLimit = 4;
const lockLimit = 1;

/**
 * What the connection is set to, whatever the server is set to. Names are in double quotes, and backslashes escape. The first
 * comment is for MariaDB alone, the second for MySQL alone.
 */
const session = [
  `SET SESSION sql_mode = 'ANSI_QUOTES', lock_wait_timeout = ${lockLimit} ` +
    `/*M! , max_statement_time = ${statementLimit} */ /*!80000 , max_execution_time = ${statementLimit * 1000} */`,
  'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY',
];

export class MysqlConnection {
  /** For messages. */
  readonly place: string;
  readonly #connection: Connection;
  readonly #location: ServerLocation;
  #lost: Error | null = null;
  /** Ends the wait for the connection, or for the answer to the current statement; null without one. */
  #interrupt: ((error: Error) => void) | null = null;

  private constructor(connection: Connection, location: ServerLocation) {
    this.place = nameOfLocation(location);
    this.#connection = connection;
    this.#location = location;
    connection.on('error', (error) => this.#end(error));
    connection.on('end', () => this.#end(new Error('the server closed the connection')));
  }

  /** Rejects with a SnapshotError that says what to do: a SourceAwayError if the server may be reached later. */
  static async open(location: ServerLocation): Promise<MysqlConnection> {
    const { createConnection } = await import('mysql2');
    const connection = new MysqlConnection(createConnection(optionsOf(location)), location);
    try {
      await connection.#connected();
      for (const statement of session) await connection.run(statement);
      return connection;
    } catch (error) {
      connection.destroy();
      throw mysqlError(error, location);
    }
  }

  #connected(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#interrupt = reject;
      this.#connection.connect((error) => (error ? reject(error) : resolve()));
    });
  }

  get isLost(): boolean {
    return this.#lost !== null;
  }

  /**
   * Runs a statement and returns its rows. `parameters` replace its `?` in turn. Rejects as `open` does. Must not be called
   * while another statement waits for its answer.
   */
  async run(sql: string, parameters: readonly DatabaseValue[] = []): Promise<Rows> {
    this.#checkUsable();
    const timer = setTimeout(() => this.#end(this.#late()), answerLimit);
    try {
      return await new Promise<Rows>((resolve, reject) => {
        this.#interrupt = reject;
        this.#connection.query(optionsOfQuery(sql, parameters), (error, rows) => {
          // a statement that returns no rows has a header in their place
          error ? reject(error) : resolve(Array.isArray(rows) ? (rows as Rows) : []);
        });
      });
    } catch (error) {
      throw this.#failure(error);
    } finally {
      clearTimeout(timer);
      this.#interrupt = null;
    }
  }

  /** Yields the rows of a statement in parts of at most `size`. Reads on when the next part is asked for. Rejects as `run`. */
  async *parts(sql: string, parameters: readonly DatabaseValue[], size: number): AsyncGenerator<Rows> {
    this.#checkUsable();
    const rows = this.#connection.query(optionsOfQuery(sql, parameters)).stream({ highWaterMark: size });
    this.#interrupt = (error) => rows.destroy(error);
    let timer = setTimeout(() => this.#end(this.#late()), answerLimit);
    let isRead = false;
    try {
      let part: Rows = [];
      for await (const row of rows) {
        part.push(row);
        if (part.length < size) continue;
        clearTimeout(timer);
        yield part;
        timer = setTimeout(() => this.#end(this.#late()), answerLimit);
        part = [];
      }
      isRead = true;
      clearTimeout(timer);
      if (part.length > 0) yield part;
    } catch (error) {
      isRead = true;
      throw this.#failure(error);
    } finally {
      clearTimeout(timer);
      this.#interrupt = null;
      // the server is still sending
      if (!isRead) this.destroy();
    }
  }

  /** Ends the connection at once, also while a statement waits for its answer. The server rolls a transaction back. */
  destroy(): void {
    this.#end(new Error('it is closed'));
  }

  #end(reason: Error): void {
    this.#lost ??= reason;
    this.#connection.destroy();
    // its own function waits until the server has read everything
    (this.#connection as unknown as { stream: { destroy(): void } }).stream.destroy();
    this.#interrupt?.(this.#lost);
  }

  #late(): Error {
    return new SourceAwayError([`${this.place}: does not answer`]);
  }

  #checkUsable(): void {
    if (this.#lost) throw this.#failure(this.#lost);
  }

  /** Returns the error that users see. The connection can be used after a statement that the server has rejected. */
  #failure(error: unknown): Error {
    if ((error as { sqlState?: unknown }).sqlState === undefined) this.destroy();
    return mysqlError(error, this.#location);
  }
}

function optionsOfQuery(sql: string, parameters: readonly DatabaseValue[]): QueryOptions {
  return {
    sql,
    values: [...parameters],
    rowsAsArray: true,
    typeCast: (field) => readField(field as unknown as Field),
  };
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
