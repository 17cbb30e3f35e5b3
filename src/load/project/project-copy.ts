import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { copyDatabase } from '../database/copy-database.ts';
import { makeCopyFolder } from '../database/copy-folder.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { setChangeCounter } from '../database/file-header.ts';
import { TablePages } from '../database/table-pages.ts';
import type { StrapiProject } from './project-folder.ts';

/** A copy of the database of a project, open for reading. */
export interface ProjectCopy {
  readonly database: Database;
  readonly pages: TablePages;
  /** What `databaseState` returned before the copy was made. */
  readonly state: string;
  /** When the copy was begun, in milliseconds since 1970. */
  readonly copiedAt: number;
  /** To be called before the next copy is made, which takes the place of this one. */
  close(): void;
}

/** A database that is read between copies, and its file. */
interface Connection {
  readonly database: Database;
  readonly name: string;
  readonly file: number;
}

/**
 * Makes copies of the database of a project, one after the other, in a private folder among the temporary ones. They are one
 * file, which stays open, because SQLite takes some milliseconds to read the schema.
 */
export class ProjectCopies {
  #folder: string | null = null;
  #connection: Connection | null = null;
  #counter = 0;

  /** Opens a new copy. Throws a SnapshotError if it cannot be made. */
  async open({ databaseFile }: StrapiProject): Promise<ProjectCopy> {
    this.#folder ??= await makeCopyFolder('database');
    const copiedAt = Date.now();
    const { path, state } = await copyDatabase(databaseFile, this.#folder);
    // in a log, commits leave the counter of the database as it is
    this.#counter = (this.#counter + 1) % 2 ** 32;
    setChangeCounter(path, this.#counter);
    const database = await this.#connect(path, databaseFile);
    try {
      // in one transaction, SQLite locks the file once, and keeps what it has read of it
      Array.from(database.rows('BEGIN'));
      const pages = new TablePages(path, database);
      return { database, pages, state, copiedAt, close: () => this.#end(pages, database) };
    } catch (error) {
      this.#disconnect();
      throw error;
    }
  }

  /** Removes the folder. To be called when no copy is being made. */
  async close(): Promise<void> {
    this.#disconnect();
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
  }

  async #connect(path: string, name: string): Promise<Database> {
    const { ino: file } = statSync(path);
    if (this.#connection?.file !== file || this.#connection.name !== name) {
      this.#disconnect();
      this.#connection = { database: await openDatabase(path, name), name, file };
    }
    return this.#connection.database;
  }

  #end(pages: TablePages, database: Database): void {
    pages.close();
    try {
      Array.from(database.rows('COMMIT'));
    } catch {
      this.#disconnect();
    }
  }

  #disconnect(): void {
    this.#connection?.database.close();
    this.#connection = null;
  }
}
