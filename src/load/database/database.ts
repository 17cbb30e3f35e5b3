/** A database that is open for reading, whatever kind it is. */
import type { MysqlTables } from '../../core/dialect.ts';
import type { SnapshotWarning } from '../../core/problems.ts';

/**
 * A value of a row. Integers are numbers if they are safe, otherwise bigints. Databases whose values have a text form, such
 * as dates in PostgreSQL, return that text.
 */
export type DatabaseValue = number | bigint | string | Uint8Array | null;

/** Rows in a part of a result at most. */
export const rowsPerPart = 500;

/** A consistent state of a database that is open for reading. */
export interface Database {
  /** What differs between databases. */
  readonly dialect: DatabaseDialect;
  /**
   * Yields the rows of a statement in parts of at most `rowsPerPart` rows, each row an array of its columns. Reads a part
   * when it is asked for. Binds `parameters` to the `?` outside quotes in turn. The names of the columns have to be
   * distinct and no integers. Rejects with a SnapshotError that has the message of the database if the statement does not
   * fit the tables or the database cannot be read.
   */
  parts(sql: string, parameters?: readonly DatabaseValue[]): AsyncIterable<readonly DatabaseValue[][]>;
  /** Returns all rows of a statement with a small result. Rejects as `parts` does. */
  all(sql: string, parameters?: readonly DatabaseValue[]): Promise<DatabaseValue[][]>;
  /** Ends the iterators that are under way and closes the database. */
  close(): Promise<void>;
}

/** The declared type of each column by name, by the name of the table. */
export type TableColumns = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** What differs between databases: the catalogue and points in time. */
export interface DatabaseDialect {
  readonly name: 'sqlite' | 'postgres' | 'mysql';
  /** The most rows that a statement should return, because a transaction lasts as long. Undefined: any number. */
  readonly rowsPerStatement?: number;
  /** Reads the names of all tables and columns. */
  readTableColumns(database: Database): Promise<TableColumns>;
  hasColumn(database: Database, table: string, column: string): Promise<boolean>;
  /** Returns those of the tables that the user of the connection may not read. Without the function, all may be read. */
  withheldTables?(database: Database, tables: readonly string[]): Promise<ReadonlySet<string>>;
  /** Reads what decides how texts and JSON are compared. `location` is the place of the database in messages. */
  readMysqlTables?(database: Database, location: string): Promise<{ tables: MysqlTables; warnings: SnapshotWarning[] }>;
  /** Returns a text that differs for other tables, columns or rights. */
  readLayout(database: Database): Promise<string>;
  /** Returns the type of a custom field whose column has this declared type; undefined if it is stored as JSON. */
  typeOfColumn(declared: string): string | undefined;
  /** Returns a point in time that is not null in milliseconds since 1970, NaN for any other value. */
  readTime(value: DatabaseValue): number;
}

/** Quotes the name of a table or column. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns ids as a list in SQL. They are integers of the database itself. */
export function idList(ids: Iterable<number>): string {
  return Array.from(ids, (id) => BigInt(id)).join(', ');
}
