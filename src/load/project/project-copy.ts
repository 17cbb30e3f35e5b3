import { rm } from 'node:fs/promises';
import type { Problems } from '../../base/problems.ts';
import type { StrapiProject } from '../../strapi-project/project-folder.ts';
import { copyDatabase } from '../database/copy-database.ts';
import { makeCopyFolder } from '../database/copy-folder.ts';
import { type Database, openDatabase } from '../database/database.ts';
import type { DatabaseContent } from '../database/database-content.ts';
import type { DatabaseTables } from '../database/database-tables.ts';
import { openProjectContent } from './project-content.ts';

/** A copy of the database of a project, open for reading. */
export interface ProjectCopy {
  readonly database: Database;
  readonly tables: DatabaseTables;
  readonly content: DatabaseContent;
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

  /** Opens a new copy. Throws a SnapshotError if it cannot be made, or if the schema does not fit the tables. */
  async open(project: StrapiProject, problems: Problems): Promise<ProjectCopy> {
    this.#folder ??= await makeCopyFolder('database');
    const copiedAt = Date.now();
    const { path, state } = await copyDatabase(project.databaseFile, this.#folder);
    const database = await openDatabase(path, project.databaseFile);
    try {
      // in one transaction, SQLite locks the file once, and keeps what it has read of it
      Array.from(database.rows('BEGIN'));
      const content = openProjectContent(database, project, problems);
      return { database, tables: content.tables, content, state, copiedAt, close: () => database.close() };
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Removes the folder. To be called when no copy is being made. */
  async close(): Promise<void> {
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
  }
}
