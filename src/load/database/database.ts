/** Reads a SQLite database that no other process uses. */
import { messageOf, SnapshotError } from '../../core/errors.ts';
import type { DatabaseValue, OpenDriver } from './database-driver.ts';
import { nodeSqlite, openWithNode } from './node-driver.ts';
import { openWithWasm } from './wasm-driver.ts';

/** A database that is open for reading. */
export interface Database {
  /**
   * Yields the rows of a statement as arrays of its columns, reading them one by one. `parameters` are bound to its `?`
   * in turn. The names of the columns have to be distinct and no integers. Throws a SnapshotError with the message of
   * SQLite if the statement does not fit the tables or the file is damaged.
   */
  rows(sql: string, parameters?: readonly DatabaseValue[]): IterableIterator<DatabaseValue[]>;
  /** Ends the iterators that are under way and closes the file. */
  close(): void;
}

/** Opens with Node's own SQLite if it has one, otherwise with SQLite as WebAssembly. Loads the driver at the first call. */
export const openDriver: OpenDriver = (path) => {
  const sqlite = nodeSqlite();
  return sqlite ? openWithNode(sqlite, path) : openWithWasm(path);
};

/**
 * Opens a database that no other process writes to, such as a copy, read-only. `name` replaces the path in messages.
 * Throws a SnapshotError if the file is missing or no database.
 */
export async function openDatabase(path: string, name = path, open: OpenDriver = openDriver): Promise<Database> {
  const driver = await open(path).catch((error: unknown) => fail(name, error));
  let isOpen = true;
  const database: Database = {
    *rows(sql, parameters = []) {
      try {
        for (const row of driver.iterate(sql, parameters)) {
          yield row;
          if (!isOpen) throw new Error('it is closed');
        }
      } catch (error) {
        fail(name, error);
      }
    },
    close() {
      isOpen = false;
      driver.close();
    },
  };
  try {
    // SQLite opens a file lazily, so this is the first read
    Array.from(database.rows('SELECT count(*) AS tables FROM sqlite_schema'));
    return database;
  } catch (error) {
    driver.close();
    throw error;
  }
}

function fail(name: string, error: unknown): never {
  throw new SnapshotError([`${name}: SQLite cannot read the database: ${messageOf(error)}`]);
}
