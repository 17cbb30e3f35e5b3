/** Copies the content of the museum within its PostgreSQL database, in seconds where Strapi takes hours. */
import pg from 'pg';
import { mapAt } from '../../../src/core/map-at.ts';

/** Not copied: what is Strapi's own, users and files, and the tables of single types. */
const kept = '^(strapi|admin|up|i18n|upload|files$|files_folder|banners|imprints|visit_pages)';
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

/** Copies all rows that belong together `copies` times, each time with other ids. `connection` are Strapi's variables. */
export async function multiplyContent(connection: Readonly<Record<string, string>>, copies: number): Promise<void> {
  const { DATABASE_HOST: host, DATABASE_PORT: port, DATABASE_NAME: database, DATABASE_USERNAME: user } = connection;
  const client = new pg.Client({ host, port: Number(port), database, user });
  await client.connect();
  try {
    const columns = await columnsOf(client);
    const tables = new Map<string, Column[]>();
    for (const column of columns) mapAt(tables, column.table, () => []).push(column);
    const isLinked = (table: string) => tables.get(table)!.some(({ target }) => target !== null && tables.has(target));
    const entitiesFirst = [...tables.keys()].toSorted((a, b) => Number(isLinked(a)) - Number(isLinked(b)));
    for (const table of entitiesFirst) {
      const own = tables.get(table)!;
      const names = own.map(({ name }) => `"${name}"`).join(', ');
      const values = own.map((column) => copyOf(column, own, tables)).join(', ');
      await client.query(
        `INSERT INTO "${table}" (${names}) SELECT ${values} FROM "${table}", generate_series(1, ${copies}) AS copy ${filterOf(own)}`,
      );
      await client.query(
        `SELECT setval(pg_get_serial_sequence('"${table}"', 'id'), (SELECT max(id) + 1 FROM "${table}"))`,
      );
    }
    await client.query('ANALYZE');
  } finally {
    await client.end();
  }
}

async function columnsOf(client: pg.Client): Promise<Column[]> {
  const { rows } = await client.query(
    `SELECT c.relname AS table, a.attname AS name, f.confrelid::regclass::text AS target
     FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
     LEFT JOIN pg_constraint AS f ON f.conrelid = c.oid AND f.contype = 'f' AND f.conkey[1] = a.attnum
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
     AND c.relname !~ '${kept}' ORDER BY c.relname, a.attnum`,
  );
  return rows;
}

/** Returns the value of a column in a copy. */
function copyOf({ name, target }: Column, own: readonly Column[], copied: ReadonlyMap<string, unknown>): string {
  const moved = `"${name}" + copy * ${span}`;
  if (name === 'id' || name === 'cmp_id' || (target !== null && copied.has(target))) return moved;
  if (name === 'document_id') return `left(document_id, 20) || lpad(copy::text, 4, '0')`;
  // Strapi refuses to change an entry whose uid is not unique
  if (name === 'code') return `code || '-' || copy`;
  const type = typeColumn(name, own);
  return type ? `CASE WHEN ${isCopied(type)} THEN ${moved} ELSE "${name}" END` : `"${name}"`;
}

/** Leaves out links to rows that are not copied. */
function filterOf(own: readonly Column[]): string {
  const related = own.some(({ name }) => name === 'related_type');
  return related ? `WHERE ${isCopied('related_type')}` : '';
}

/** Returns the column with the type of the row that an id refers to, if there is one. */
function typeColumn(name: string, own: readonly Column[]): string | null {
  const type = name.replace(/_id$/, '_type');
  return type !== name && own.some((other) => other.name === type) ? type : null;
}

function isCopied(column: string): string {
  return copiedTypes.replace(/(NOT )?LIKE/g, (like) => `"${column}" ${like}`);
}
