/** Copies the content of the museum within its database, in seconds where Strapi takes hours. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { mapAt } from '../../../src/core/map-at.ts';

/** The entries of a content that is copied. */
export const filledEntries = 10_000;
/** Not copied: what is Strapi's own, users and files, and the tables of single types. */
const kept = /^(strapi|admin|up|i18n|upload|files$|files_folder|banners|imprints|visit_pages|sqlite)/;
/** Types of polymorphic links whose rows are copied. */
const copiedTypes =
  "(NOT LIKE '%::%' OR LIKE 'api::%') AND NOT LIKE 'api::banner%' AND NOT LIKE 'api::imprint%' AND NOT LIKE 'api::visit%'";
/** More than the greatest id of the content. */
const span = 1_000_000;

interface Column {
  readonly table: string;
  readonly name: string;
  /** The table that a foreign key refers to. */
  readonly target: string | null;
}

/** A connection that may write, to a database of any kind. Names are in double quotes, `||` joins texts. */
interface Writer {
  /** Selects the columns of all tables in their order, as a Column. */
  readonly columns: string;
  all(statement: string): Promise<unknown[]>;
  run(statement: string): Promise<unknown>;
  /** Called when all rows are there. */
  finish(tables: Iterable<string>): Promise<void>;
}

/**
 * Copies all rows that belong together `copies` times, each time with other ids. `connection` are Strapi's variables, for
 * the project in the folder.
 */
export async function multiplyContent(
  folder: string,
  connection: Readonly<Record<string, string>>,
  copies: number,
): Promise<void> {
  if (copies <= 0) return;
  const writer = await writers[connection.DATABASE_CLIENT](connection, folder);
  const columns = ((await writer.all(writer.columns)) as Column[]).filter(({ table }) => !kept.test(table));
  const tables = new Map<string, Column[]>();
  for (const column of columns) mapAt(tables, column.table, () => []).push(column);
  const isLinked = (table: string) => tables.get(table)!.some(({ target }) => target !== null && tables.has(target));
  const entitiesFirst = [...tables.keys()].toSorted((a, b) => Number(isLinked(a)) - Number(isLinked(b)));
  for (const table of entitiesFirst) {
    const own = tables.get(table)!;
    const names = own.map(({ name }) => `"${name}"`).join(', ');
    for (let copy = 1; copy <= copies; copy++) {
      const values = own.map((column) => copyOf(column, copy, own, tables)).join(', ');
      await writer.run(`INSERT INTO "${table}" (${names}) SELECT ${values} FROM "${table}" WHERE ${filterOf(own)}`);
    }
  }
  await writer.finish(tables.keys());
}

const writers: Readonly<
  Record<string, (connection: Readonly<Record<string, string>>, folder: string) => Promise<Writer>>
> = {
  async postgres(connection) {
    const client = new pg.Client(loginOf(connection));
    await client.connect();
    return {
      columns: `SELECT c.relname AS table, a.attname AS name, f.confrelid::regclass::text AS target
        FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
        LEFT JOIN pg_constraint AS f ON f.conrelid = c.oid AND f.contype = 'f' AND f.conkey[1] = a.attnum
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
        ORDER BY c.relname, a.attnum`,
      all: async (statement) => (await client.query(statement)).rows,
      run: (statement) => client.query(statement),
      async finish(tables) {
        for (const table of tables)
          await client.query(
            `SELECT setval(pg_get_serial_sequence('"${table}"', 'id'), (SELECT max(id) + 1 FROM "${table}"))`,
          );
        await client.query('ANALYZE');
        await client.end();
      },
    };
  },
  async mysql(connection) {
    const client = await mysql.createConnection(loginOf(connection));
    await client.query("SET SESSION sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT'");
    return {
      columns: `SELECT c.table_name AS "table", c.column_name AS name, k.referenced_table_name AS target
        FROM information_schema.columns AS c LEFT JOIN information_schema.key_column_usage AS k
        ON k.table_schema = c.table_schema AND k.table_name = c.table_name AND k.column_name = c.column_name
        AND k.referenced_table_name IS NOT NULL
        WHERE c.table_schema = database() ORDER BY c.table_name, c.ordinal_position`,
      all: async (statement) => (await client.query(statement))[0] as unknown[],
      run: (statement) => client.query(statement),
      finish: () => client.end(),
    };
  },
  async sqlite(_, folder) {
    const Database = createRequire(join(folder, 'package.json'))('better-sqlite3');
    const database = new Database(join(folder, '.tmp', 'data.db'));
    return {
      columns: `SELECT m.name AS "table", c.name AS name, f."table" AS target
        FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
        LEFT JOIN pragma_foreign_key_list(m.name) AS f ON f."from" = c.name
        WHERE m.type = 'table' ORDER BY m.name, c.cid`,
      all: async (statement) => database.prepare(statement).all(),
      run: async (statement) => database.exec(statement),
      finish: async () => database.close(),
    };
  },
};

function loginOf(connection: Readonly<Record<string, string>>) {
  const { DATABASE_HOST: host, DATABASE_PORT: port, DATABASE_NAME: database, DATABASE_USERNAME: user } = connection;
  return { host, port: Number(port), database, user, password: connection.DATABASE_PASSWORD };
}

/** Returns the value of a column in a copy. */
function copyOf(
  { name, target }: Column,
  copy: number,
  own: readonly Column[],
  copied: ReadonlyMap<string, unknown>,
): string {
  const moved = `"${name}" + ${copy * span}`;
  if (name === 'id' || name === 'cmp_id' || (target !== null && copied.has(target))) return moved;
  if (name === 'document_id') return `substr(document_id, 1, 20) || '${String(copy).padStart(4, '0')}'`;
  // Strapi refuses to change an entry whose uid is not unique
  if (name === 'code') return `code || '-${copy}'`;
  const type = typeColumn(name, own);
  return type ? `CASE WHEN ${isCopied(type)} THEN ${moved} ELSE "${name}" END` : `"${name}"`;
}

/** Leaves out copies, and links to rows that are not copied. */
function filterOf(own: readonly Column[]): string {
  const related = own.some(({ name }) => name === 'related_type');
  return `id < ${span}${related ? ` AND ${isCopied('related_type')}` : ''}`;
}

/** Returns the column with the type of the row that an id refers to, if there is one. */
function typeColumn(name: string, own: readonly Column[]): string | null {
  const type = name.replace(/_id$/, '_type');
  return type !== name && own.some((other) => other.name === type) ? type : null;
}

function isCopied(column: string): string {
  return copiedTypes.replace(/(NOT )?LIKE/g, (like) => `"${column}" ${like}`);
}
