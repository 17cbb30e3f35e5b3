/** A consistent state of a MySQL or MariaDB database: a short transaction that only reads. */
import { type Database, type DatabaseValue, rowsPerPart } from '../database.ts';
import type { MysqlConnection, Rows } from './mysql-connection.ts';
import { mysqlDialect } from './mysql-dialect.ts';

export class MysqlState implements Database {
  readonly dialect = mysqlDialect;
  /** When the transaction began, in milliseconds since 1970. */
  readonly readAt: number;
  readonly #connection: MysqlConnection;
  #isOpen = true;

  private constructor(connection: MysqlConnection, readAt: number) {
    this.#connection = connection;
    this.readAt = readAt;
  }

  static async open(connection: MysqlConnection): Promise<MysqlState> {
    const readAt = Date.now();
    // applies to the next transaction alone
    await connection.run('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    await connection.run('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
    return new MysqlState(connection, readAt);
  }

  async *parts(sql: string, parameters: readonly DatabaseValue[] = []): AsyncGenerator<Rows> {
    this.#checkOpen();
    yield* this.#connection.parts(sql, parameters, rowsPerPart);
  }

  async all(sql: string, parameters: readonly DatabaseValue[] = []): Promise<Rows> {
    this.#checkOpen();
    return this.#connection.run(sql, parameters);
  }

  /** If that fails, the connection is lost, and with it the transaction. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (!this.#connection.isLost) await this.#connection.run('ROLLBACK').catch(() => this.#connection.destroy());
  }

  #checkOpen(): void {
    if (!this.#isOpen) throw new Error('The state is closed.');
  }
}
