import type Database from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { Row } from '../content/rows.ts';
import type { Attribute } from '../content/schema.ts';
import type { Find, Populate } from '../query.ts';
import type { Sqlite, Tables } from './tables.ts';

/** Prepared statements by their text. The last 1,000 are kept. */
export class Statements {
  readonly #database: Sqlite;
  readonly #known = new LRUCache<string, Database.Statement>({ max: 1000 });

  constructor(database: Sqlite) {
    this.#database = database;
  }

  prepared(sql: string): Database.Statement {
    let statement = this.#known.get(sql);
    if (!statement) this.#known.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}

/** The columns that a reply shows of a type, and those that lead to populated relations. */
export function columnsOf(tables: Tables, { type, fields, populate = {} }: Find, alias: string): string {
  const names = tables.schema.type(type).attributes.flatMap((attribute) => {
    const { name, kind } = attribute;
    if (kind === 'relation') {
      const { column } = tables.link(type, attribute);
      return populate[name] && column ? [column] : [];
    }
    if (kind === 'component' || kind === 'zone') return populate[name] ? [name] : [];
    return !fields || fields.includes(name) || name === 'id' || name === 'documentId' ? [name] : [];
  });
  return names.map((name) => `${alias}."${name}"`).join(', ');
}

/** Attaches related rows to rows: one statement for each relation, whatever the number of rows. */
export function populateRows(
  tables: Tables,
  statements: Statements,
  type: string,
  rows: Row[],
  populate: Populate,
): void {
  for (const [name, nested] of Object.entries(populate)) {
    const attribute = tables.schema.attribute(type, name);
    if (attribute.kind !== 'relation') continue;
    const related = readRelated(tables, statements, type, attribute, rows, nested);
    populateRows(tables, statements, attribute.target!, [...related.values()].flat(), nested);
    const { column } = tables.link(type, attribute);
    for (const row of rows) {
      const found = related.get(column ? row[column] : row.id) ?? [];
      row[name] = attribute.many ? found : (found[0] ?? null);
    }
  }
}

/** Related rows by the key that leads to them. */
function readRelated(
  tables: Tables,
  statements: Statements,
  type: string,
  attribute: Attribute,
  rows: Row[],
  populate: Populate,
): Map<number, Row[]> {
  const target = attribute.target!;
  const { column, targetColumn, table, from, to } = tables.link(type, attribute);
  const columns = columnsOf(tables, { type: target, populate }, 'target');
  const key = table ? `link.${from}` : `target."${targetColumn ?? 'id'}"`;
  const source = table
    ? `"${table}" as link join "${target}" as target on target.id = link.${to}`
    : `"${target}" as target`;
  const order = table && attribute.owner ? 'link.position' : 'target.id';
  const sql = `select ${key} as populated_by, ${columns} from ${source}
    where ${key} in (select value from json_each(?)) order by ${key}, ${order}`;
  const keys = new Set(rows.map((row) => (column ? row[column] : row.id) as number | null));
  const found = new Map<number, Row[]>();
  for (const row of statements.prepared(sql).all(JSON.stringify([...keys].filter((id) => id !== null))) as Row[]) {
    const list = found.get(row.populated_by);
    if (list) list.push(row);
    else found.set(row.populated_by, [row]);
  }
  return found;
}
