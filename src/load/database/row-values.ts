/** Values of rows in the form of an export, with their components. */
import { SnapshotError } from '../../core/errors.ts';
import type { ScalarType } from '../../model/schema/schema.ts';
import { type Database, type DatabaseDialect, type DatabaseValue, idList, quote } from './database.ts';
import type { AttributeColumn, ComponentTable, TableMapping, TypeTable } from './table-mapping.ts';

/** The values of a row by attribute, in the form of an export. */
export type Values = Record<string, unknown>;

/** Maximum number of components inside each other. Only components that contain themselves have more. */
const maxDepth = 100;

/** Returns the list of columns of a type in a SELECT: `id`, then those of the table. */
export function columnList({ columns }: TypeTable): string {
  return ['id', ...columns.map(({ column }) => column)].map(quote).join(', ');
}

/** Returns the values of a row that was read with `columnList`, without its id. */
export function valuesOf(
  columns: readonly AttributeColumn[],
  row: readonly DatabaseValue[],
  dialect: DatabaseDialect,
): Values {
  const values: Values = {};
  for (const [index, { attribute, type }] of columns.entries())
    values[attribute] = readValue(type, row[index + 1], dialect);
  return values;
}

/**
 * Returns the value of a scalar attribute as the fields of @strapi/database read it. Big integers are texts with all their
 * digits, although Strapi on SQLite rounds them to a double. As in Strapi, an invalid date becomes null and invalid JSON
 * stays a string.
 */
export function readValue(type: ScalarType, value: DatabaseValue, { readTime }: DatabaseDialect): unknown {
  if (value === null) return null;
  switch (type) {
    case 'boolean':
      return value === 1 || value === '1' ? true : value === 0 || value === '0' ? false : null;
    case 'datetime':
      return validDate(readTime(value))?.toISOString() ?? null;
    case 'timestamp':
      return validDate(readTime(value))?.getTime().toString() ?? null;
    case 'integer':
    case 'float':
    case 'decimal':
      return Number(value);
    case 'biginteger':
      return String(value);
    case 'json':
    case 'blocks':
    case 'array':
      return parseStoredJson(plainValue(value));
    case 'date':
    case 'time':
      return plainValue(value);
    default:
      return String(plainValue(value));
  }
}

function validDate(milliseconds: number): Date | null {
  return Number.isNaN(milliseconds) ? null : new Date(milliseconds);
}

/** Returns a value as JSON has it. */
export function plainValue(value: DatabaseValue): string | number | null {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString() : value;
}

/** A component in the table of its parents. */
interface Placement {
  readonly parent: number;
  readonly field: string;
  readonly uid: string;
  readonly id: number;
}

/** Adds components to rows. Reads each table of components once for all rows that it is given. */
export class ComponentRows {
  readonly #database: Database;
  readonly #mapping: TableMapping;

  constructor(database: Database, mapping: TableMapping) {
    this.#database = database;
    this.#mapping = mapping;
  }

  /** Adds the components to the values of rows of a type, by id. Attributes without components are null or empty. */
  async addTo({ uid, components }: TypeTable, rows: ReadonlyMap<number, Values>, depth = 0): Promise<void> {
    if (!components || rows.size === 0) return;
    if (depth > maxDepth) throw new SnapshotError([`${uid}: a component contains itself`]);
    for (const values of rows.values()) {
      for (const [name, { many }] of components.fields) values[name] = many ? [] : null;
    }
    const placements = await this.#placements(components, rows.keys());
    const found = await this.#components(placements, depth);
    for (const { parent, field, uid: component, id } of placements) {
      const values = found.get(component)?.get(id);
      if (!values) continue;
      const { many, zone } = components.fields.get(field)!;
      // components that two parents share are values of each of them
      const item = { ...(zone && { __component: component }), id, ...values };
      const parentValues = rows.get(parent)!;
      if (many) (parentValues[field] as Values[]).push(item);
      else parentValues[field] ??= item;
    }
  }

  /** Returns the components of rows in the order of each list. */
  async #placements({ table, fields }: ComponentTable, ids: Iterable<number>): Promise<Placement[]> {
    // a condition on `field` would make SQLite read the index of that column, which has few distinct values
    const statement =
      'SELECT "entity_id", "field", "component_type", "cmp_id" ' +
      `FROM ${quote(table)} WHERE "entity_id" IN (${idList(ids)}) ORDER BY "entity_id", "field", "order", "id"`;
    const placements: Placement[] = [];
    for await (const part of this.#database.parts(statement)) {
      for (const [parent, name, type, id] of part) {
        const [field, uid] = [String(name), String(type)];
        if (!fields.get(field)?.accepts.includes(uid)) continue;
        placements.push({ parent: Number(parent), field, uid, id: Number(id) });
      }
    }
    return placements;
  }

  /** Returns the values of the placed components by uid and id. */
  async #components(placements: readonly Placement[], depth: number): Promise<Map<string, Map<number, Values>>> {
    const ids = new Map<string, Set<number>>();
    for (const { uid, id } of placements) ids.set(uid, (ids.get(uid) ?? new Set()).add(id));
    const components = new Map<string, Map<number, Values>>();
    for (const [uid, wanted] of ids) {
      const type = this.#mapping.types.get(uid);
      if (!type) continue;
      const rows = new Map<number, Values>();
      const statement = `SELECT ${columnList(type)} FROM ${quote(type.table)} WHERE "id" IN (${idList(wanted)})`;
      for await (const part of this.#database.parts(statement)) {
        for (const row of part) rows.set(Number(row[0]), valuesOf(type.columns, row, this.#database.dialect));
      }
      await this.addTo(type, rows, depth + 1);
      components.set(uid, rows);
    }
    return components;
  }
}

/**
 * Returns the value of a JSON column that is read as text. As in Strapi, invalid JSON stays a string. Versions before 5.0
 * wrote JSON as the JSON of a text, so a text inside is read again.
 */
function parseStoredJson(written: string | number | null): unknown {
  if (typeof written !== 'string') return written;
  try {
    const parsed: unknown = JSON.parse(written);
    return typeof parsed === 'string' ? JSON.parse(parsed) : parsed;
  } catch {
    return written;
  }
}
