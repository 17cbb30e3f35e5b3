import { rm } from 'node:fs/promises';
import type { StrapiProject } from '../../strapi-project/project-folder.ts';
import { copyDatabase } from '../database/copy-database.ts';
import { makeCopyFolder } from '../database/copy-folder.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { TablePages } from '../database/table-pages.ts';

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

/** Makes copies of the database of a project, one after the other, in a private folder among the temporary ones. */
export class ProjectCopies {
  #folder: string | null = null;

  /** Opens a new copy. Throws a SnapshotError if it cannot be made. */
  async open({ databaseFile }: StrapiProject): Promise<ProjectCopy> {
    this.#folder ??= await makeCopyFolder('database');
    const copiedAt = Date.now();
    const { path, state } = await copyDatabase(databaseFile, this.#folder);
    const database = await openDatabase(path, databaseFile);
    // in one transaction, SQLite locks the file once, and keeps what it has read of it
    Array.from(database.rows('BEGIN'));
    const pages = new TablePages(path, database);
    const close = () => {
      pages.close();
      database.close();
    };
    return { database, pages, state, copiedAt, close };
  }

  /** Removes the folder. To be called when no copy is being made. */
  async close(): Promise<void> {
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
  }
}
