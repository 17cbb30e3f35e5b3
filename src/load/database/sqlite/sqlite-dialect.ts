/** The catalogue of SQLite, and values of columns as the fields of @strapi/database read them. */
import type { ScalarType } from '../../../model/schema/schema.ts';
import type { Database, DatabaseDialect, DatabaseValue, TableColumns } from '../database.ts';
import { parseStoredJson } from '../row-values.ts';

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
  readValue: readSqliteValue,
  readTime: (value) => toDate(value).getTime(),
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

/**
 * Returns the value of a scalar attribute. Big integers are texts with all their digits, although Strapi on SQLite
 * rounds them to a double. As in Strapi, an invalid date becomes null and invalid JSON stays a string.
 */
function readSqliteValue(type: ScalarType, value: DatabaseValue): unknown {
  if (value === null) return null;
  switch (type) {
    case 'boolean':
      return value === 1 || value === '1' ? true : value === 0 || value === '0' ? false : null;
    case 'datetime':
      return validDate(value)?.toISOString() ?? null;
    case 'timestamp':
      return validDate(value)?.getTime().toString() ?? null;
    case 'integer':
    case 'float':
    case 'decimal':
      return Number(value);
    case 'biginteger':
      return String(value);
    case 'json':
    case 'blocks':
    case 'array':
      return parseStoredJson(plain(value));
    case 'date':
    case 'time':
      return plain(value);
    default:
      return String(plain(value));
  }
}

function validDate(value: DatabaseValue): Date | null {
  const date = toDate(value);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Dates are milliseconds, and texts in rows that other programs wrote. */
function toDate(value: DatabaseValue): Date {
  return new Date(plain(value) as number | string);
}

function plain(value: DatabaseValue): string | number | null {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString() : value;
}
