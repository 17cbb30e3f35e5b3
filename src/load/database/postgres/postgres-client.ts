import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerLocation } from '../location.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { ChangingTablesError, codeOf } from './postgres-errors.ts';
import { type Look, look, PostgresState } from './postgres-state.ts';

/** Attempts to lock tables that another transaction changes, and milliseconds between them. */
const lockAttempts = 10;
const lockPause = 100;

/**
 * The only connection of a process to a database. It is used by one state or look at a time; the others wait. It is made when
 * it is needed, and made again after it was lost.
 */
export class PostgresClient {
  readonly location: ServerLocation;
  #connection: PostgresConnection | null = null;
  /** Settles when the connection is free. */
  #free: Promise<void> = Promise.resolve();
  #tables: readonly string[] = [];
  #isClosed = false;

  constructor(location: ServerLocation) {
    this.location = location;
  }

  /** Later states lock these tables before they begin. */
  lock(tables: Iterable<string>): void {
    this.#tables = [...new Set(tables)];
  }

  async look(): Promise<Look> {
    const release = await this.#take();
    try {
      return await look(await this.#connect());
    } finally {
      release();
    }
  }

  /**
   * Begins a state. To be closed before the connection can be used again. Rejects with a SnapshotError: a ChangingTablesError
   * if another transaction changes the tables.
   */
  async open(): Promise<{ state: PostgresState; look: Look; close(): Promise<void> }> {
    const release = await this.#take();
    try {
      const connection = await this.#connect();
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
    this.#isClosed = true;
    this.#connection?.destroy();
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

  async #take(): Promise<() => void> {
    const before = this.#free;
    let release = () => {};
    this.#free = new Promise((resolve) => (release = resolve));
    await before;
    return release;
  }

  async #connect(): Promise<PostgresConnection> {
    if (this.#isClosed) throw new Error('The connection was closed.');
    if (this.#connection && !this.#connection.isLost) return this.#connection;
    this.#connection = await PostgresConnection.open(this.location);
    if (this.#isClosed) this.#connection.destroy();
    return this.#connection;
  }
}
