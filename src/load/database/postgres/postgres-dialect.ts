/** The catalogue of PostgreSQL. Statements run in a transaction whose search path is the schema of the database. */
import { SourceAwayError } from '../../../core/errors.ts';
import type { Database, DatabaseDialect, TableColumns } from '../database.ts';
import { readServerTime } from '../server-time.ts';

/** The types of attributes by the type of their column. */
const typesOfColumns: Readonly<Record<string, string>> = {
  'character varying(255)': 'string',
  text: 'text',
  jsonb: 'json',
  integer: 'integer',
  bigint: 'biginteger',
  'double precision': 'float',
  'numeric(10,2)': 'decimal',
  boolean: 'boolean',
  date: 'date',
  'time(3) without time zone': 'time',
  'timestamp(6) without time zone': 'datetime',
};

/** The columns of the tables of the schema. */
const columns =
  'FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid ' +
  "WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND c.relkind IN ('r', 'p') AND a.attnum > 0 " +
  'AND NOT a.attisdropped';

export const postgresDialect: DatabaseDialect = {
  name: 'postgres',
  rowsPerStatement: 2000,
  readTableColumns,
  async hasColumn(database, table, column) {
    return (await database.all(`SELECT 1 ${columns} AND c.relname = ? AND a.attname = ?`, [table, column])).length > 0;
  },
  async withheldTables(database, tables) {
    const statement = `SELECT DISTINCT c.relname ${columns} AND NOT has_table_privilege(c.oid, 'SELECT')`;
    const withheld = (await database.all(statement)).map(([table]) => String(table));
    return new Set(withheld.filter((table) => tables.includes(table)));
  },
  async readLayout(database) {
    const parts =
      "c.oid || ' ' || c.relname || ' ' || a.attname || ' ' || a.atttypid || ' ' || a.atttypmod || has_table_privilege(c.oid, 'SELECT')";
    const statement = `SELECT md5(string_agg(${parts}, ',' ORDER BY c.oid, a.attnum)), string_agg(DISTINCT c.relname, ' ') ${columns}`;
    const [[digest, tables]] = await database.all(statement);
    return `${digest} ${tables}`;
  },
  typeOfColumn: (declared) => typesOfColumns[declared],
  readTime: readServerTime,
};

async function readTableColumns(database: Database): Promise<TableColumns> {
  const [[schema]] = await database.all('SELECT current_schema()');
  if (schema === null) {
    throw new SourceAwayError([
      'the database has no schema that its user may use; check the name of the schema, or run GRANT USAGE ON SCHEMA',
    ]);
  }
  const tables = new Map<string, Map<string, string>>();
  const statement = `SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) ${columns}`;
  for (const [table, column, type] of await database.all(statement)) {
    const found = tables.get(table as string) ?? new Map<string, string>();
    tables.set(table as string, found.set(column as string, type as string));
  }
  return tables;
}
