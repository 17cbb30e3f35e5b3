import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { makeCopyFolder } from '../copy-folder.ts';
import type { Database } from '../database.ts';
import type { DatabaseState, StateOpener } from '../database-state.ts';
import { copyDatabase } from './copy-database.ts';
import { setChangeCounter } from './file-header.ts';
import { openDatabase } from './open-database.ts';
import { TablePages } from './table-pages.ts';

/** A copy of a database, open for reading. Its mark is that of `commitMark`. */
export interface SqliteState extends DatabaseState {
  readonly pages: TablePages;
  /** A copy may be read for any time. */
  readonly stage?: undefined;
}

/** A database that is read between copies, and its file. */
interface Connection {
  readonly database: Database;
  readonly file: number;
}

/**
 * Makes copies of a database, one after the other, in a private folder among the temporary ones. They are one file, which
 * stays open, because SQLite takes some milliseconds to read the schema.
 */
export class SqliteStates implements StateOpener<SqliteState> {
  readonly #path: string;
  #folder: string | null = null;
  #connection: Connection | null = null;
  #counter = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Opens a new copy. Rejects with a SnapshotError if it cannot be made. */
  async open(): Promise<SqliteState> {
    this.#folder ??= await makeCopyFolder('database');
    const openedAt = Date.now();
    const { path, state: mark } = await copyDatabase(this.#path, this.#folder);
    // in a log, commits leave the counter of the database as it is
    this.#counter = (this.#counter + 1) % 2 ** 32;
    setChangeCounter(path, this.#counter);
    const database = await this.#connect(path);
    try {
      // in one transaction, SQLite locks the file once, and keeps what it has read of it
      await database.all('BEGIN');
      const pages = await TablePages.open(path, database);
      return { database, pages, mark, openedAt, close: () => this.#end(pages, database) };
    } catch (error) {
      await this.#disconnect();
      throw error;
    }
  }

  /** Removes the folder. */
  async close(): Promise<void> {
    await this.#disconnect();
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
  }

  async #connect(path: string): Promise<Database> {
    const { ino: file } = statSync(path);
    if (this.#connection?.file !== file) {
      await this.#disconnect();
      this.#connection = { database: await openDatabase(path, this.#path), file };
    }
    return this.#connection.database;
  }

  async #end(pages: TablePages, database: Database): Promise<void> {
    pages.close();
    try {
      await database.all('COMMIT');
    } catch {
      await this.#disconnect();
    }
  }

  async #disconnect(): Promise<void> {
    const database = this.#connection?.database;
    this.#connection = null;
    await database?.close();
  }
}
