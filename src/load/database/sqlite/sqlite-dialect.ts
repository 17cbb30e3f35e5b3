/** The catalogue of SQLite, and its points in time. */
import type { Database, DatabaseDialect, DatabaseValue, TableColumns } from '../database.ts';
import { plainValue } from '../row-values.ts';

/** The types of attributes by the declared type of their column. */
const typesOfColumns: Readonly<Record<string, string>> = {
  'varchar(255)': 'string',
  text: 'text',
  json: 'json',
  integer: 'integer',
  bigint: 'biginteger',
  float: 'float',
  boolean: 'boolean',
  date: 'date',
  time: 'time',
  datetime: 'datetime',
};

export const sqliteDialect: DatabaseDialect = {
  name: 'sqlite',
  readTableColumns,
  async hasColumn(database, table, column) {
    const found = await database.all('SELECT "name" FROM pragma_table_info(?) WHERE "name" = ?', [table, column]);
    return found.length > 0;
  },
  async readLayout(database) {
    const tables = await database.all(`SELECT "sql" FROM sqlite_schema WHERE "type" = 'table'`);
    return tables.map(([sql]) => String(sql)).join(';');
  },
  typeOfColumn: (declared) => typesOfColumns[declared.toLowerCase()],
  readTime,
};

async function readTableColumns(database: Database): Promise<TableColumns> {
  const tables = new Map<string, Map<string, string>>();
  const statement =
    'SELECT t.name AS table_name, c.name AS column_name, c.type AS column_type ' +
    "FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table'";
  for (const [table, column, type] of await database.all(statement)) {
    const columns = tables.get(table as string) ?? new Map<string, string>();
    tables.set(table as string, columns.set(column as string, type as string));
  }
  return tables;
}

/** Dates are milliseconds, and texts in rows that other programs wrote. */
function readTime(value: DatabaseValue): number {
  return new Date(plainValue(value) as number | string).getTime();
}
