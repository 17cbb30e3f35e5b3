import type Database from 'better-sqlite3';
import type { Row, Rows } from '../content/rows.ts';
import type { Attribute, Schema, Type } from '../content/schema.ts';
import { packaged } from '../packages.ts';

export type Sqlite = Database.Database;

/**
 * The tables of a content: one for each type, with JSON, components and zones as text, booleans as 0 and 1, dates as
 * ISO text. A to-one relation is a column `NAME_id`. A to-many relation is a table `TYPE_NAME` of `owner_id`,
 * `target_id` and `position`. With `linksToOne` a to-one relation has such a table, too, as in Strapi.
 */
export class Tables {
  readonly schema: Schema;
  readonly linksToOne: boolean;

  constructor(schema: Schema, linksToOne: boolean) {
    this.schema = schema;
    this.linksToOne = linksToOne;
  }

  /** How the rows of a relation are reached. */
  link(type: string, { name, owner, target, inverse, many }: Attribute): Link {
    const [holder, held] = owner ? [type, name] : [target!, inverse!];
    const isMany = owner ? many : this.schema.attribute(holder, held).many;
    const isTable = this.linksToOne || isMany;
    if (!isTable) return owner ? { column: `${held}_id` } : { targetColumn: `${held}_id` };
    const table = `${holder}_${held}`;
    return owner ? { table, from: 'owner_id', to: 'target_id' } : { table, from: 'target_id', to: 'owner_id' };
  }

  /** A database in memory with all rows, and both sides of every relation indexed. */
  fill(rows: Rows): Sqlite {
    const Sqlite = packaged<typeof Database>('better-sqlite3');
    const database = new Sqlite(':memory:');
    database.pragma('synchronous = off');
    database.pragma('temp_store = memory');
    database.transaction(() => {
      for (const type of this.schema.types) this.#fillType(database, type, rows.type(type.name));
    })();
    return database;
  }

  #fillType(database: Sqlite, type: Type, rows: Row[]): void {
    const values = type.attributes.filter(({ kind }) => kind !== 'relation');
    const relations = type.attributes.filter(({ kind, owner }) => kind === 'relation' && owner);
    const columns = relations.filter((relation) => this.link(type.name, relation).column);
    const names = [
      // long values that are rarely read come last
      ...values.filter(({ kind }) => kind === 'scalar' || kind === 'json').map(declared),
      ...columns.map(({ name }) => `"${name}_id" integer`),
      ...values.filter(({ kind }) => kind === 'component' || kind === 'zone').map(declared),
    ];
    database.exec(`create table "${type.name}" (${names.join(', ')}) strict`);
    const stored = [
      ...values.map((attribute) => ({
        column: attribute.name,
        of: (row: Row) => storedValue(row[attribute.name], attribute),
      })),
      ...columns.map(({ name }) => ({ column: `${name}_id`, of: (row: Row) => (row[name] as Row | null)?.id ?? null })),
    ];
    const insert = inserter(
      database,
      type.name,
      stored.map(({ column }) => column),
    );
    for (const row of rows) insert.run(stored.map(({ of }) => of(row)));
    for (const { name } of columns)
      database.exec(`create index "${type.name}_${name}" on "${type.name}" ("${name}_id")`);
    for (const relation of relations) {
      const { table } = this.link(type.name, relation);
      if (!table) continue;
      database.exec(`create table "${table}" (owner_id integer, target_id integer, position integer,
        primary key (owner_id, position)) strict, without rowid`);
      const connect = inserter(database, table, ['owner_id', 'target_id', 'position']);
      for (const row of rows) {
        const targets = [row[relation.name] ?? []].flat() as Row[];
        for (const [position, { id }] of targets.entries()) connect.run(row.id, id, position);
      }
      database.exec(`create index "${table}_target" on "${table}" (target_id, owner_id)`);
    }
  }
}

/** A column of the table itself, a column of the target's table, or a table between the two. */
export interface Link {
  column?: string;
  targetColumn?: string;
  table?: string;
  from?: string;
  to?: string;
}

function inserter(database: Sqlite, table: string, columns: string[]): Database.Statement {
  const names = columns.map((name) => `"${name}"`);
  return database.prepare(`insert into "${table}" (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`);
}

function declared({ name, type, kind }: Attribute): string {
  if (name === 'id') return 'id integer primary key';
  if (kind === 'scalar' && (type === 'integer' || type === 'boolean')) return `"${name}" integer`;
  return `"${name}" ${kind === 'scalar' && (type === 'float' || type === 'decimal') ? 'real' : 'text'}`;
}

function storedValue(value: unknown, { type, kind }: Attribute): unknown {
  if (value === null || value === undefined) return null;
  if (kind !== 'scalar') return JSON.stringify(value);
  return type === 'boolean' ? Number(value) : value;
}
