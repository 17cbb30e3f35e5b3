/** Reads the content of a Strapi database as the entities and links of an export. */
import type { LinkEnd } from '../strapi/link-reader.ts';
import { type Database, type DatabaseValue, idList, quote, rowsPerPart } from './database.ts';
import { ComponentRows, columnList, type Values, valuesOf } from './row-values.ts';
import {
  type LinkTable,
  listColumn,
  type PolymorphicTable,
  type RelationTable,
  type TableMapping,
  type TypeTable,
} from './table-mapping.ts';

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

/** Entries and links of the tables that a mapping names, in parts. */
export interface ContentTables {
  readonly mapping: TableMapping;
  /** Yields the entries of a content type in ascending order of id: all of them, or those with `ids`. */
  entities(uid: string, ids?: Iterable<number>): AsyncIterable<EntityLine[]>;
  /**
   * Yields the links of a table in the order of their ids, without those whose ends are missing. With `lists`, only those
   * whose `listColumn` has one of these ids.
   */
  links(table: LinkTable, lists?: ReadonlySet<number> | null): AsyncIterable<LinkLine[]>;
}

/** The tables that a mapping names. Only served columns are read. Rows are read in parts of at most `rowsPerPart`. */
export class DatabaseTables implements ContentTables {
  readonly mapping: TableMapping;
  readonly #database: Database;
  readonly #components: ComponentRows;

  constructor(database: Database, mapping: TableMapping) {
    this.mapping = mapping;
    this.#database = database;
    this.#components = new ComponentRows(database, mapping);
  }

  /** Yields parts of the entries of a content type in ascending order of id: all of them, or those with `ids`. */
  async *entities(uid: string, ids?: Iterable<number>): AsyncGenerator<EntityLine[]> {
    const type = this.#type(uid);
    const select = `SELECT ${columnList(type)} FROM ${quote(type.table)}`;
    if (ids) {
      const sorted = Float64Array.from(ids).sort();
      for (let start = 0; start < sorted.length; start += rowsPerPart) {
        const part = sorted.subarray(start, start + rowsPerPart);
        yield await this.#read(type, `${select} WHERE "id" IN (${idList(part)}) ORDER BY "id"`);
      }
      return;
    }
    let last: number | undefined = Number.MIN_SAFE_INTEGER;
    while (last !== undefined) {
      const lines = await this.#read(type, `${select} WHERE "id" > ${last} ORDER BY "id" LIMIT ${rowsPerPart}`);
      yield lines;
      last = lines.length === rowsPerPart ? lines[rowsPerPart - 1].id : undefined;
    }
  }

  /** Yields parts of the links of a table in the order of their ids, without those whose ends are missing. */
  links(table: LinkTable, lists: ReadonlySet<number> | null = null): AsyncGenerator<LinkLine[]> {
    const condition = lists ? `l.${quote(listColumn(table))} IN (${idList(lists)})` : '';
    return table.kind === 'relation'
      ? this.#relationLinks(table, condition)
      : this.#polymorphicLinks(table, condition === '' ? '' : ` AND ${condition}`);
  }

  async #read(type: TypeTable, statement: string): Promise<EntityLine[]> {
    const rows = new Map<number, Values>();
    for (const row of await this.#database.all(statement)) {
      rows.set(Number(row[0]), valuesOf(type.columns, row, this.#database.dialect));
    }
    await this.#components.addTo(type, rows);
    return Array.from(rows, ([id, data]) => ({ type: type.uid, id, data }));
  }

  async *#relationLinks(link: RelationTable, where: string): AsyncGenerator<LinkLine[]> {
    const { uid, attribute, target, inverse, table, source, targetId, order, inverseOrder } = link;
    const column = (name: string | null, alias: string) => `${name ? `l.${quote(name)}` : 'NULL'} AS "${alias}"`;
    const columns =
      `l.${quote(source)} AS "source", l.${quote(targetId)} AS "target", ` +
      `${column(order, 'position')}, ${column(inverseOrder, 'inverse_position')}`;
    const tables =
      `${quote(table)} AS l JOIN ${quote(this.#type(uid).table)} AS s ON s."id" = l.${quote(source)} ` +
      `JOIN ${quote(this.#type(target).table)} AS t ON t."id" = l.${quote(targetId)}`;
    for await (const part of this.#linkRows(columns, tables, where)) {
      yield part.map(([from, to, position, inversePosition]) => ({
        left: { type: uid, ref: Number(from), field: attribute, pos: positionOf(position) },
        right: { type: target, ref: Number(to), field: inverse, pos: positionOf(inversePosition) },
      }));
    }
  }

  async *#polymorphicLinks(link: PolymorphicTable, condition: string): AsyncGenerator<LinkLine[]> {
    const { uid, attribute, table, source, targetId, targetType, many, fields } = link;
    for (const target of await this.#targetsOf(link)) {
      const names = fields?.get(target) ?? [];
      const isRead = names.length > 0 ? ` AND l."field" IN (${names.map(() => '?').join(', ')})` : '';
      const columns =
        `l.${quote(source)} AS "source", l.${quote(targetId)} AS "target", ` +
        (many ? 'l."field" AS "field", l."order" AS "position"' : 'NULL AS "field", NULL AS "position"');
      const tables =
        `${quote(table)} AS l JOIN ${quote(this.#type(uid).table)} AS s ON s."id" = l.${quote(source)} ` +
        `JOIN ${quote(this.#type(target).table)} AS t ON t."id" = l.${quote(targetId)}`;
      const where = `l.${quote(targetType)} = ?${isRead}${condition}`;
      for await (const part of this.#linkRows(columns, tables, where, [target, ...names])) {
        yield part.map(([from, to, field, position]) => ({
          left: { type: uid, ref: Number(from), field: attribute },
          right: { type: target, ref: Number(to), field: field as string | null, pos: positionOf(position) },
        }));
      }
    }
  }

  /** Yields parts of the rows of links `l` in the order of their ids, the id after the columns. */
  async *#linkRows(
    columns: string,
    tables: string,
    where = '',
    parameters: readonly string[] = [],
  ): AsyncGenerator<readonly DatabaseValue[][]> {
    const { rowsPerStatement: limit } = this.#database.dialect;
    const select = `SELECT ${columns}, l."id" AS "link_id" FROM ${tables}`;
    if (limit === undefined) {
      const condition = where === '' ? '' : ` WHERE ${where}`;
      yield* this.#database.parts(`${select}${condition} ORDER BY l."id"`, parameters);
      return;
    }
    const condition = where === '' ? '' : ` AND ${where}`;
    let last: DatabaseValue | undefined = Number.MIN_SAFE_INTEGER;
    while (last !== undefined) {
      const statement: string = `${select} WHERE l."id" > ${last}${condition} ORDER BY l."id" LIMIT ${limit}`;
      let count = 0;
      last = undefined;
      for await (const part of this.#database.parts(statement, parameters)) {
        yield part;
        count += part.length;
        if (count === limit) last = part.at(-1)!.at(-1);
      }
    }
  }

  /** Returns the types that the links of a table lead to, without unknown ones. */
  async #targetsOf({ table, targetType, fields }: PolymorphicTable): Promise<string[]> {
    const statement = `SELECT DISTINCT ${quote(targetType)} FROM ${quote(table)}`;
    return (await this.#database.all(statement))
      .map(([uid]) => String(uid))
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
