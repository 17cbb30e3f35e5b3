/** A consistent state of a MySQL or MariaDB database: a short transaction that only reads. */
import { type Database, type DatabaseValue, rowsPerPart } from '../database.ts';
import { ExpiredStateError } from '../database-state.ts';
import type { MysqlConnection, Rows } from './mysql-connection.ts';
import { mysqlDialect } from './mysql-dialect.ts';

/** Seconds after which the server ends a connection that waits for the next statement of a transaction. */
const idleLimit = 4;
/** Milliseconds after which a transaction begins no other statement, and reads no further. */
const stateLimit = 4500;

export class MysqlState implements Database {
  readonly dialect = mysqlDialect;
  /** When the transaction began, in milliseconds since 1970. */
  readonly readAt: number;
  readonly #connection: MysqlConnection;
  readonly #begunAt = performance.now();
  #isOpen = true;

  private constructor(connection: MysqlConnection, readAt: number) {
    this.#connection = connection;
    this.readAt = readAt;
  }

  static async open(connection: MysqlConnection): Promise<MysqlState> {
    const readAt = Date.now();
    await connection.run(`SET SESSION wait_timeout = ${idleLimit}`);
    await connection.run('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
    return new MysqlState(connection, readAt);
  }

  async *parts(sql: string, parameters: readonly DatabaseValue[] = []): AsyncGenerator<Rows> {
    this.#checkOpen();
    for await (const part of this.#connection.parts(sql, parameters, rowsPerPart)) {
      yield part;
      this.#checkOpen();
    }
  }

  async all(sql: string, parameters: readonly DatabaseValue[] = []): Promise<Rows> {
    this.#checkOpen();
    return this.#connection.run(sql, parameters);
  }

  /** If that fails, the connection is lost, and with it the transaction. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#connection.isLost) return;
    try {
      await this.#connection.run('ROLLBACK');
      await this.#connection.run('SET SESSION wait_timeout = DEFAULT');
    } catch {
      this.#connection.destroy();
    }
  }

  #checkOpen(): void {
    if (!this.#isOpen) throw new Error('The state is closed.');
    if (performance.now() - this.#begunAt > stateLimit) {
      throw new ExpiredStateError([`${this.#connection.place}: reading one state takes longer than ${stateLimit} ms`]);
    }
  }
}
