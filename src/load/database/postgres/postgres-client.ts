import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerLocation } from '../location.ts';
import { codeOf } from '../server-errors.ts';
import { SharedConnection } from '../shared-connection.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { ChangingTablesError } from './postgres-errors.ts';
import { type Look, look, PostgresState } from './postgres-state.ts';

/** Attempts to lock tables that another transaction changes, and milliseconds between them. */
const lockAttempts = 10;
const lockPause = 100;

/** Looks at a database and opens states of it, over one connection: one after the other, the others wait. */
export class PostgresClient {
  readonly location: ServerLocation;
  readonly #shared: SharedConnection<PostgresConnection>;
  #tables: readonly string[] = [];

  constructor(location: ServerLocation) {
    this.location = location;
    this.#shared = new SharedConnection(() => PostgresConnection.open(location));
  }

  /** Later states lock these tables before they begin. */
  lock(tables: Iterable<string>): void {
    this.#tables = [...new Set(tables)];
  }

  async look(): Promise<Look> {
    const { connection, release } = await this.#shared.borrow();
    try {
      return await look(connection);
    } finally {
      release();
    }
  }

  /**
   * Begins a state. To be closed before the connection can be used again. Rejects with a SnapshotError: a ChangingTablesError
   * if another transaction changes the tables.
   */
  async open(): Promise<{ state: PostgresState; look: Look; close(): Promise<void> }> {
    const { connection, release } = await this.#shared.borrow();
    try {
      const seen = await look(connection);
      const state = await this.#begin(connection);
      const close = async () => {
        await state.close();
        release();
      };
      return { state, look: seen, close };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Ends the connection, also while it is used. */
  close(): void {
    this.#shared.close();
  }

  async #begin(connection: PostgresConnection): Promise<PostgresState> {
    const { schema } = this.location;
    for (let attempt = 1; ; attempt++) {
      try {
        return await PostgresState.open(connection, { schema, tables: this.#tables });
      } catch (error) {
        if (!(error instanceof ChangingTablesError)) throw error;
        // a table is gone, so that the caller has to find out which there are
        if (codeOf(error) === '42P01') return PostgresState.open(connection, { schema, tables: [] });
        if (attempt === lockAttempts) throw error;
        await sleep(lockPause);
      }
    }
  }
}
