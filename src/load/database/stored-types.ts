/** The content types that a Strapi database holds, and what names their tables. */
import { SnapshotError, SourceAwayError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import type { Problems } from '../../core/problems.ts';
import type { AttributeDefinition, TypeDefinition } from '../../model/schema/type-definition.ts';
import { readDefinition } from '../strapi/strapi-export.ts';
import type { Database, TableColumns } from './database.ts';
import { tableName } from './identifiers.ts';

/** A definition as Strapi registers it. */
export interface StoredType extends TypeDefinition {
  /** The table, before it is shortened. */
  readonly collectionName: string;
  /** The singular name in the columns that refer to the type. */
  readonly modelName: string;
}

/** How an attribute is stored, where the definition says so itself. */
export interface StoredAttribute extends AttributeDefinition {
  readonly relation?: string;
  readonly inversedBy?: string;
  readonly mappedBy?: string;
  readonly useJoinTable?: boolean;
  readonly columnName?: string;
  readonly joinColumn?: { readonly name?: string };
  readonly joinTable?: {
    readonly name: string;
    readonly joinColumn: { readonly name: string };
    readonly inverseJoinColumn?: { readonly name: string };
    readonly orderColumnName?: string;
    readonly inverseOrderColumnName?: string;
  };
  readonly morphColumn?: {
    readonly idColumn: { readonly name: string };
    readonly typeColumn: { readonly name: string };
  };
}

/** The definitions of all types, by uid. */
export class StoredTypes {
  readonly #types: ReadonlyMap<string, StoredType>;

  constructor(types: readonly StoredType[]) {
    this.#types = new Map(types.map((type) => [type.uid, type]));
  }

  has(uid: string): boolean {
    return this.#types.has(uid);
  }

  /** Returns the definition of a type. Throws if there is none. */
  type(uid: string): StoredType {
    const type = this.#types.get(uid);
    if (!type) throw new Error(`no stored type ${uid}`);
    return type;
  }

  /** Returns the table of a type. */
  tableOf(uid: string): string {
    return tableName(this.type(uid).collectionName);
  }

  /** Returns the definition of an attribute, or undefined for those that every type has. */
  attribute(uid: string, name: string): StoredAttribute | undefined {
    const { attributes } = this.type(uid);
    return Object.hasOwn(attributes, name) ? (attributes[name] as StoredAttribute) : undefined;
  }
}

const settingsTable = 'strapi_core_store_settings';
const schemaKey = 'strapi_content_types_schema';

export function withheldProblem(table: string): string {
  return `may not read the table ${table}; run GRANT SELECT ON ${table} TO the user of the database`;
}

/** Returns the value of a setting of Strapi, or undefined. A value that is not JSON is returned as text. */
export async function readSetting(database: Database, key: string): Promise<unknown> {
  const text = await readSettingText(database, key);
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function readSettingText(database: Database, key: string): Promise<unknown> {
  const statement = `SELECT "value" FROM "${settingsTable}" WHERE "key" = ? ORDER BY "id" DESC LIMIT 1`;
  const [row] = await database.all(statement, [key]);
  return row?.[0];
}

/** Returns a text that differs for other tables, columns and content types. Null if it is not the database of a Strapi. */
export async function databaseSchema(database: Database): Promise<string | null> {
  const layout = await database.dialect.readLayout(database);
  if (!layout.includes(settingsTable)) return null;
  return `${layout};${await readSettingText(database, schemaKey)}`;
}

/** Keys of a content type that an export has. The others serve Strapi itself. */
const exportedKeys = [
  'collectionName',
  'info',
  'options',
  'pluginOptions',
  'attributes',
  'kind',
  'modelType',
  'modelName',
  'uid',
  'plugin',
  'globalId',
];

/**
 * Returns the definitions of all content types. Throws a SnapshotError if the database is not that of a Strapi 5: a
 * SourceAwayError if a start of Strapi may mend it. Reports definitions that are none. `location` is the place of the
 * database in messages.
 */
export async function readStoredTypes(
  database: Database,
  tables: TableColumns,
  location: string,
  problems: Problems,
): Promise<StoredType[]> {
  if (!tables.has(settingsTable)) {
    const withheld = await database.dialect.withheldTables?.(database, [settingsTable]);
    const problem = withheld?.has(settingsTable)
      ? withheldProblem(settingsTable)
      : `not the database of a Strapi: it has no table ${settingsTable}`;
    throw new SourceAwayError([`${location}: ${problem}`]);
  }
  const files = tables.get('files');
  if (files && !files.has('document_id')) {
    throw new SnapshotError([
      `${location}: a database of Strapi 4; only that of Strapi 5 is read; write an export with "strapi export --no-encrypt"`,
    ]);
  }
  const schemas = await readSetting(database, schemaKey);
  if (!isPlainObject(schemas)) {
    throw new SourceAwayError([`${location}: has no content types yet; start Strapi once, which writes them`]);
  }
  return Object.entries(schemas).flatMap(([uid, schema]) => {
    const at = `${location}, ${schemaKey}`;
    if (!isPlainObject(schema)) {
      problems.add(`${at}, type ${uid}`, 'expected an object');
      return [];
    }
    return storedType({ ...exportedPart(schema), uid }, at, problems) ?? [];
  });
}

/** Returns a definition if it is one and names its table, otherwise reports it and returns null. */
export function storedType(value: Record<string, unknown>, location: string, problems: Problems): StoredType | null {
  const definition = readDefinition(value, location, problems);
  if (!definition) return null;
  for (const key of ['collectionName', 'modelName']) {
    if (typeof value[key] === 'string' && value[key] !== '') continue;
    problems.add(definition.location, `"${key}" is missing`);
    return null;
  }
  return definition as StoredType;
}

/** Returns the part of a registered content type or component that an export has. */
export function exportedPart(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(exportedKeys.flatMap((key) => (key in schema ? [[key, schema[key]]] : [])));
}
