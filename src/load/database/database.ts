/** Reads a SQLite database that no other process uses: its tables, their columns and rows. */
import { messageOf, SnapshotError } from '../../core/errors.ts';
import { type DatabaseValue, type OpenDriver, openDriver } from './drivers.ts';

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

/** The declared type of each column by name, by the name of the table. */
export type TableColumns = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Quotes the name of a table or column. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Reads the names of all tables and columns. */
export function readTableColumns(database: Database): TableColumns {
  const tables = new Map<string, Map<string, string>>();
  const statement =
    'SELECT t.name AS table_name, c.name AS column_name, c.type AS column_type ' +
    "FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table'";
  for (const [table, column, type] of database.rows(statement)) {
    const columns = tables.get(table as string) ?? new Map<string, string>();
    tables.set(table as string, columns.set(column as string, type as string));
  }
  return tables;
}
