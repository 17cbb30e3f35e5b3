/** Reads the content of a Strapi database as the entities and links of an export. */
import type { LinkEnd } from '../strapi/link-reader.ts';
import { type Database, quote } from './database.ts';
import type { DatabaseValue } from './drivers.ts';
import { ComponentRows, columnList, idList, type Values, valuesOf } from './row-values.ts';
import type { LinkTable, PolymorphicTable, RelationTable, TableMapping, TypeTable } from './table-mapping.ts';

/** An entry as an export has it: all its values and components, but no relations. */
export interface EntityLine extends Record<string, unknown> {
  readonly type: string;
  readonly id: number;
  readonly data: Values;
}

/** A link as an export has it. */
export interface LinkLine extends Record<string, unknown> {
  readonly left: LinkEnd;
  readonly right: LinkEnd;
}

/** The id of a row, and when it was last updated in milliseconds, null if the table does not say. */
export interface RowVersion {
  readonly id: number;
  readonly updatedAt: number | null;
}

/** Rows that are read at once, with their components. */
const rowsPerRead = 500;

/** The tables that a mapping names. Only served columns are read. Rows are read some hundred at a time. */
export class DatabaseTables {
  readonly mapping: TableMapping;
  readonly #database: Database;
  readonly #components: ComponentRows;

  constructor(database: Database, mapping: TableMapping) {
    this.mapping = mapping;
    this.#database = database;
    this.#components = new ComponentRows(database, mapping);
  }

  /** Yields the entries of a content type in ascending order of id: all of them, or those with `ids`. */
  *entities(uid: string, ids?: readonly number[]): Generator<EntityLine> {
    const type = this.#type(uid);
    const select = `SELECT ${columnList(type)} FROM ${quote(type.table)}`;
    if (ids) {
      const sorted = Float64Array.from(ids).sort();
      for (let start = 0; start < sorted.length; start += rowsPerRead) {
        const part = sorted.subarray(start, start + rowsPerRead);
        yield* this.#read(type, `${select} WHERE "id" IN (${idList(part)}) ORDER BY "id"`);
      }
      return;
    }
    let last: number | undefined = Number.MIN_SAFE_INTEGER;
    while (last !== undefined) {
      const lines = this.#read(type, `${select} WHERE "id" > ${last} ORDER BY "id" LIMIT ${rowsPerRead}`);
      yield* lines;
      last = lines.length === rowsPerRead ? lines[rowsPerRead - 1].id : undefined;
    }
  }

  /** Yields the versions of all entries of a content type in ascending order of id. */
  *versions(uid: string): Generator<RowVersion> {
    const { table, columns } = this.#type(uid);
    const updated = columns.find(({ attribute }) => attribute === 'updatedAt');
    const column = updated ? quote(updated.column) : 'NULL AS "updated_at"';
    for (const [id, updatedAt] of this.#database.rows(`SELECT "id", ${column} FROM ${quote(table)} ORDER BY "id"`)) {
      yield { id: Number(id), updatedAt: updatedAt === null ? null : new Date(asDate(updatedAt)).getTime() };
    }
  }

  /** Yields the links of a table in the order of their ids, without those whose ends are missing. */
  *links(table: LinkTable): Generator<LinkLine> {
    if (table.kind === 'relation') yield* this.#relationLinks(table);
    else yield* this.#polymorphicLinks(table);
  }

  #read(type: TypeTable, statement: string): EntityLine[] {
    const rows = new Map<number, Values>();
    for (const row of this.#database.rows(statement)) rows.set(Number(row[0]), valuesOf(type.columns, row));
    this.#components.addTo(type, rows);
    return Array.from(rows, ([id, data]) => ({ type: type.uid, id, data }));
  }

  *#relationLinks(link: RelationTable): Generator<LinkLine> {
    const { uid, attribute, target, inverse, table, source, targetId, order, inverseOrder } = link;
    const column = (name: string | null, alias: string) => `${name ? `l.${quote(name)}` : 'NULL'} AS "${alias}"`;
    const statement =
      `SELECT l.${quote(source)} AS "source", l.${quote(targetId)} AS "target", ` +
      `${column(order, 'position')}, ${column(inverseOrder, 'inverse_position')} FROM ${quote(table)} AS l ` +
      `JOIN ${quote(this.#type(uid).table)} AS s ON s."id" = l.${quote(source)} ` +
      `JOIN ${quote(this.#type(target).table)} AS t ON t."id" = l.${quote(targetId)} ORDER BY l."id"`;
    for (const [from, to, position, inversePosition] of this.#database.rows(statement)) {
      yield {
        left: { type: uid, ref: Number(from), field: attribute, pos: positionOf(position) },
        right: { type: target, ref: Number(to), field: inverse, pos: positionOf(inversePosition) },
      };
    }
  }

  *#polymorphicLinks(link: PolymorphicTable): Generator<LinkLine> {
    const { uid, attribute, table, source, targetId, targetType, many, fields } = link;
    for (const target of this.#targetsOf(link)) {
      const names = fields?.get(target) ?? [];
      const isRead = names.length > 0 ? ` AND l."field" IN (${names.map(() => '?').join(', ')})` : '';
      const statement =
        `SELECT l.${quote(source)} AS "source", l.${quote(targetId)} AS "target"` +
        `${many ? ', l."field" AS "field", l."order" AS "position"' : ''} FROM ${quote(table)} AS l ` +
        `JOIN ${quote(this.#type(uid).table)} AS s ON s."id" = l.${quote(source)} ` +
        `JOIN ${quote(this.#type(target).table)} AS t ON t."id" = l.${quote(targetId)} ` +
        `WHERE l.${quote(targetType)} = ?${isRead} ORDER BY l."id"`;
      for (const [from, to, field = null, position = null] of this.#database.rows(statement, [target, ...names])) {
        yield {
          left: { type: uid, ref: Number(from), field: attribute },
          right: { type: target, ref: Number(to), field: field as string | null, pos: positionOf(position) },
        };
      }
    }
  }

  /** Returns the types that the links of a table lead to, without unknown ones. */
  #targetsOf({ table, targetType, fields }: PolymorphicTable): string[] {
    const statement = `SELECT DISTINCT ${quote(targetType)} FROM ${quote(table)}`;
    return Array.from(this.#database.rows(statement), ([uid]) => String(uid))
      .filter((uid) => this.mapping.types.has(uid) && (fields === null || fields.has(uid)))
      .sort();
  }

  #type(uid: string): TypeTable {
    const type = this.mapping.types.get(uid);
    if (!type) throw new Error(`no table of ${uid}`);
    return type;
  }
}

function positionOf(value: DatabaseValue): number | null {
  return value === null ? null : Number(value);
}

function asDate(value: DatabaseValue): number | string {
  return typeof value === 'string' ? value : Number(value);
}
