/** The catalogue of MySQL and MariaDB. Statements run in the mode ANSI_QUOTES. */
import { type Database, type DatabaseDialect, quote, type TableColumns } from '../database.ts';
import { readServerTime } from '../server-time.ts';
import { ChangingTablesError, WithheldTableError } from './mysql-errors.ts';
import { readMysqlTables } from './mysql-tables.ts';

/** The types of attributes by the type of their column. MariaDB stores JSON as `longtext`, as it does `text`. */
const typesOfColumns: Readonly<Record<string, string>> = {
  'varchar(255)': 'string',
  longtext: 'text',
  json: 'json',
  int: 'integer',
  bigint: 'biginteger',
  double: 'float',
  'decimal(10,2)': 'decimal',
  'tinyint(1)': 'boolean',
  date: 'date',
  'time(3)': 'time',
  'datetime(6)': 'datetime',
};

const columns = 'FROM information_schema.columns WHERE table_schema = database()';

export const mysqlDialect: DatabaseDialect = {
  name: 'mysql',
  rowsPerStatement: 5000,
  readTableColumns,
  withheldTables,
  async hasColumn(database, table, column) {
    const statement = `SELECT 1 ${columns} AND table_name = ? AND column_name = ?`;
    return (await database.all(statement, [table, column])).length > 0;
  },
  async readLayout(database) {
    const column = "concat_ws(' ', ordinal_position, column_name, column_type)";
    // MySQL 9.6 and later have no md5
    const digest = (part: number) => `bit_xor(conv(substr(sha2(${column}, 256), ${part}, 15), 16, 10))`;
    const digests = `table_name, count(*), ${digest(1)}, ${digest(16)}`;
    const tables = await database.all(`SELECT ${digests} ${columns} GROUP BY table_name ORDER BY table_name`);
    return tables.map((table) => table.join(' ')).join(',');
  },
  readMysqlTables,
  typeOfColumn: (declared) => typesOfColumns[withoutWidth(declared)],
  readTime: readServerTime,
};

/** The catalogue lacks tables that may not be read, as it lacks those that are missing. */
async function withheldTables(database: Database, tables: readonly string[]): Promise<Set<string>> {
  const present = new Set((await database.all(`SELECT DISTINCT table_name ${columns}`)).map(([table]) => table));
  const withheld = new Set<string>();
  for (const table of tables) {
    if (present.has(table)) continue;
    await database.all(`SELECT 1 FROM ${quote(table)} LIMIT 0`).catch((error: unknown) => {
      if (error instanceof WithheldTableError) withheld.add(table);
      else if (!(error instanceof ChangingTablesError)) throw error;
    });
  }
  return withheld;
}

async function readTableColumns(database: Database): Promise<TableColumns> {
  const tables = new Map<string, Map<string, string>>();
  // MariaDB stores JSON as text with this collation
  const statement = `SELECT table_name, column_name, column_type, collation_name ${columns} ORDER BY table_name`;
  for (const [table, column, type, collation] of await database.all(statement)) {
    const found = tables.get(table as string) ?? new Map<string, string>();
    const isJson = type === 'longtext' && collation === 'utf8mb4_bin';
    tables.set(table as string, found.set(column as string, isJson ? 'json' : (type as string)));
  }
  return tables;
}

/** Returns a type without the width that MariaDB and older versions of MySQL show for integers. */
function withoutWidth(declared: string): string {
  return declared.replace(/^(int|bigint)\(\d+\)/, '$1').replace(/ unsigned$/, '');
}
