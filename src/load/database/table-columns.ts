/** The tables of a database with their columns, and the SQL that differs between databases. */
import type { Database } from './database.ts';

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
