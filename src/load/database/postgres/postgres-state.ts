/** A consistent state of a PostgreSQL database: a short transaction that only reads. */

import { type Database, type DatabaseValue, quote, rowsPerPart } from '../database.ts';
import { ExpiredStateError } from '../database-state.ts';
import { literal, type PostgresConnection, type Rows, withLiterals } from './postgres-connection.ts';
import { postgresDialect } from './postgres-dialect.ts';

/** Milliseconds after which the server ends a statement, and a transaction that waits for the next one. */
const statementLimit = 4000;
const idleLimit = 4000;
/** Milliseconds after which a transaction begins no other statement. */
const stateLimit = 4500;

/** What the server has committed, as `pg_current_snapshot` says it. Transactions are numbered in 64 bits. */
export interface Snapshot {
  readonly text: string;
  /** All transactions before it have ended. */
  readonly xmin: bigint;
  /** No transaction from it on has begun to write. */
  readonly xmax: bigint;
}

/** A look at what the server has committed, and what the server is. */
export interface Look {
  /** Differs after each commit, and for another server. May differ without one. */
  readonly mark: string;
  /** Differs for another server, and after each of its starts: then, a commit that was read may be lost. */
  readonly server: string;
  readonly isStandby: boolean;
}

/**
 * Looks at what was committed, in 0.2 ms. A standby leaves transactions in progress out of its snapshots, so its mark is the
 * position of its replay. The mark of a state that begins after the look is at least this one.
 */
export async function look(connection: PostgresConnection): Promise<Look> {
  const statement =
    'SELECT pg_current_snapshot()::text, pg_is_in_recovery()::text, pg_postmaster_start_time()::text, ' +
    'CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END';
  const [[[snapshot, recovery, start, position]]] = await connection.run(statement);
  const isStandby = recovery === 'true';
  const server = `${start}, standby: ${recovery}`;
  return { mark: [server, snapshot, position].join(' '), server, isStandby };
}

interface StateOptions {
  /** Null: that of the search path. */
  readonly schema: string | null;
  /**
   * Tables that are locked against changes of their columns before the snapshot is taken, without waiting. No later
   * statement waits for a lock then, so a state never takes part in a deadlock. A table that was rewritten after the snapshot
   * would seem to be empty.
   */
  readonly tables: readonly string[];
}

export class PostgresState implements Database {
  readonly dialect = postgresDialect;
  readonly snapshot: Snapshot;
  /** When the transaction began, in milliseconds since 1970. */
  readonly readAt: number;
  readonly #connection: PostgresConnection;
  readonly #begunAt = performance.now();
  #cursors = 0;
  #isOpen = true;

  private constructor(connection: PostgresConnection, snapshot: Snapshot, readAt: number) {
    this.#connection = connection;
    this.snapshot = snapshot;
    this.readAt = readAt;
  }

  /** Begins the transaction. Rejects with a ChangingTablesError if a table is locked or missing. */
  static async open(connection: PostgresConnection, { schema, tables }: StateOptions): Promise<PostgresState> {
    const readAt = Date.now();
    const locks = tables.length > 0 ? [`LOCK TABLE ${tables.map(quote).join(', ')} IN ACCESS SHARE MODE NOWAIT`] : [];
    try {
      const results = await connection.run(
        'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
        ...(schema === null ? [] : [`SET LOCAL search_path TO ${quote(schema)}`]),
        `SET LOCAL statement_timeout TO ${statementLimit}`,
        `SET LOCAL idle_in_transaction_session_timeout TO ${idleLimit}`,
        // the settings of a role or database may be others
        'SET LOCAL datestyle TO ISO',
        'SET LOCAL extra_float_digits TO 1',
        // fails instead of hiding rows
        'SET LOCAL row_security TO off',
        'SET LOCAL cursor_tuple_fraction TO 1',
        ...locks,
        'SELECT pg_current_snapshot()::text',
      );
      return new PostgresState(connection, parseSnapshot(String(results.at(-1)![0][0])), readAt);
    } catch (error) {
      await rollback(connection);
      throw error;
    }
  }

  async *parts(sql: string, parameters: readonly DatabaseValue[] = []): AsyncGenerator<Rows> {
    const cursor = `lectern_${this.#cursors++}`;
    const fetch = `FETCH ${rowsPerPart} FROM ${cursor}`;
    let [, rows] = await this.#run(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${withLiterals(sql, parameters)}`, fetch);
    while (rows.length === rowsPerPart) {
      // the server reads on while the caller works
      const next = this.#run(fetch);
      // the caller learns of a failure when it asks for the next part, which may be later
      next.catch(() => {});
      try {
        yield rows;
      } finally {
        await next;
      }
      [rows] = await next;
    }
    if (rows.length > 0) yield rows;
  }

  async all(sql: string, parameters: readonly DatabaseValue[] = []): Promise<Rows> {
    const [rows] = await this.#run(withLiterals(sql, parameters));
    return rows;
  }

  /** Runs statements without parameters and with small results in one message. Returns the rows of each. */
  each(statements: readonly string[]): Promise<Rows[]> {
    return this.#run(...statements);
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await rollback(this.#connection);
  }

  async #run(...statements: readonly string[]): Promise<Rows[]> {
    if (!this.#isOpen) throw new Error('The state is closed.');
    if (performance.now() - this.#begunAt > stateLimit) {
      throw new ExpiredStateError([`${this.#connection.place}: reading one state takes longer than ${stateLimit} ms`]);
    }
    return this.#connection.run(...statements);
  }
}

/** Ends a transaction. If that fails, the connection is lost, and with it the transaction. */
async function rollback(connection: PostgresConnection): Promise<void> {
  if (connection.isLost) return;
  await connection.run('ROLLBACK').catch(() => connection.destroy());
}

/** Parses a text such as `10:20:10,14,15`. */
function parseSnapshot(text: string): Snapshot {
  const [xmin, xmax] = text.split(':');
  return { text, xmin: BigInt(xmin), xmax: BigInt(xmax) };
}

/** Returns a condition on rows that a transaction from this one on has written. Takes in some older rows at most. */
export function writtenSince(xmin: bigint): string {
  // rows have the last 32 bits of the number; rows that were frozen long ago may have any
  return `age(xmin) BETWEEN 0 AND age(${literal(String(BigInt.asUintN(32, xmin)))}::xid)`;
}
