/** Values of rows in the form of an export, with their components. The fields of @strapi/database read columns so. */
import { SnapshotError } from '../../core/errors.ts';
import type { ScalarType } from '../../model/schema/schema.ts';
import { type Database, quote } from './database.ts';
import type { DatabaseValue } from './drivers.ts';
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
export function valuesOf(columns: readonly AttributeColumn[], row: readonly DatabaseValue[]): Values {
  return Object.fromEntries(columns.map(({ attribute, type }, index) => [attribute, readValue(type, row[index + 1])]));
}

/** Returns ids as a list in SQL. They are integers of the database itself. */
export function idList(ids: Iterable<number>): string {
  return Array.from(ids, (id) => BigInt(id)).join(', ');
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
  addTo({ uid, components }: TypeTable, rows: ReadonlyMap<number, Values>, depth = 0): void {
    if (!components || rows.size === 0) return;
    if (depth > maxDepth) throw new SnapshotError([`${uid}: a component contains itself`]);
    for (const values of rows.values()) {
      for (const [name, { many }] of components.fields) values[name] = many ? [] : null;
    }
    const placements = this.#placements(components, rows.keys());
    const found = this.#components(placements, depth);
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
  #placements({ table, fields }: ComponentTable, ids: Iterable<number>): Placement[] {
    // a condition on `field` would make SQLite read the index of that column, which has few distinct values
    const statement =
      'SELECT "entity_id", "field", "component_type", "cmp_id" ' +
      `FROM ${quote(table)} WHERE "entity_id" IN (${idList(ids)}) ORDER BY "entity_id", "field", "order", "id"`;
    return Array.from(this.#database.rows(statement), ([parent, field, uid, id]) => ({
      parent: Number(parent),
      field: String(field),
      uid: String(uid),
      id: Number(id),
    })).filter(({ field, uid }) => fields.get(field)?.accepts.includes(uid));
  }

  /** Returns the values of the placed components by uid and id. */
  #components(placements: readonly Placement[], depth: number): Map<string, Map<number, Values>> {
    const ids = new Map<string, Set<number>>();
    for (const { uid, id } of placements) ids.set(uid, (ids.get(uid) ?? new Set()).add(id));
    const components = new Map<string, Map<number, Values>>();
    for (const [uid, wanted] of ids) {
      const type = this.#mapping.types.get(uid);
      if (!type) continue;
      const rows = new Map<number, Values>();
      const statement = `SELECT ${columnList(type)} FROM ${quote(type.table)} WHERE "id" IN (${idList(wanted)})`;
      for (const row of this.#database.rows(statement)) rows.set(Number(row[0]), valuesOf(type.columns, row));
      this.addTo(type, rows, depth + 1);
      components.set(uid, rows);
    }
    return components;
  }
}

/**
 * Returns the value of a scalar attribute. Big integers are texts with all their digits, although Strapi on SQLite
 * rounds them to a double. As in Strapi, an invalid date becomes null and invalid JSON stays a string.
 */
export function readValue(type: ScalarType, value: DatabaseValue): unknown {
  if (value === null) return null;
  switch (type) {
    case 'boolean':
      return value === 1 || value === '1' ? true : value === 0 || value === '0' ? false : null;
    case 'datetime':
      return toDate(value)?.toISOString() ?? null;
    case 'timestamp':
      return toDate(value)?.getTime().toString() ?? null;
    case 'integer':
    case 'float':
    case 'decimal':
      return Number(value);
    case 'biginteger':
      return String(value);
    case 'json':
    case 'blocks':
    case 'array':
      return parseStoredJson(value);
    case 'date':
    case 'time':
      return plain(value);
    default:
      return String(plain(value));
  }
}

/** Dates are milliseconds, and texts in rows that other programs wrote. */
function toDate(value: DatabaseValue): Date | null {
  const date = new Date(plain(value) as number | string);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Versions before 5.0 wrote JSON as the JSON of a text, so a text inside is read again. */
function parseStoredJson(value: DatabaseValue): unknown {
  const written = plain(value);
  if (typeof written !== 'string') return written;
  try {
    const parsed: unknown = JSON.parse(written);
    return typeof parsed === 'string' ? JSON.parse(parsed) : parsed;
  } catch {
    return written;
  }
}

function plain(value: DatabaseValue): string | number | null {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString() : value;
}
