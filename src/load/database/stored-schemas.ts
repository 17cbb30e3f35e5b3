/** The content types that a Strapi database holds. */
import { SnapshotError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import type { Problems } from '../../core/problems.ts';
import { readDefinition } from '../strapi/strapi-export.ts';
import type { Database } from './database.ts';
import type { StoredType } from './stored-types.ts';
import type { TableColumns } from './table-columns.ts';

const settingsTable = 'strapi_core_store_settings';
const schemaKey = 'strapi_content_types_schema';

/** Returns the value of a setting of Strapi, or undefined. A value that is not JSON is returned as text. */
export function readSetting(database: Database, key: string): unknown {
  const text = readSettingText(database, key);
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readSettingText(database: Database, key: string): unknown {
  const statement = `SELECT "value" FROM "${settingsTable}" WHERE "key" = ? ORDER BY "id" DESC LIMIT 1`;
  const [row] = Array.from(database.rows(statement, [key]));
  return row?.[0];
}

/** Returns a text that differs for other tables, columns and content types. Null if it is not the database of a Strapi. */
export function databaseSchema(database: Database): string | null {
  const tables = `SELECT "sql" FROM sqlite_schema WHERE "type" = 'table'`;
  const sql = Array.from(database.rows(tables), ([text]) => String(text));
  if (!sql.some((text) => text.includes(settingsTable))) return null;
  return [...sql, String(readSettingText(database, schemaKey))].join(';');
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
 * Returns the definitions of all content types. Throws a SnapshotError if the database is not that of a Strapi 5, and
 * reports definitions that are none. `location` is the place of the database in messages.
 */
export function readStoredTypes(
  database: Database,
  tables: TableColumns,
  location: string,
  problems: Problems,
): StoredType[] {
  if (!tables.has(settingsTable)) {
    throw new SnapshotError([`${location}: not the database of a Strapi: it has no table ${settingsTable}`]);
  }
  const files = tables.get('files');
  if (files && !files.has('document_id')) {
    throw new SnapshotError([
      `${location}: a database of Strapi 4; only that of Strapi 5 is read; write an export with "strapi export --no-encrypt"`,
    ]);
  }
  const schemas = readSetting(database, schemaKey);
  if (!isPlainObject(schemas)) {
    throw new SnapshotError([`${location}: has no content types yet; start Strapi once, which writes them`]);
  }
  return Object.entries(schemas).flatMap(([uid, schema]) => {
    const at = `${location}, ${schemaKey}`;
    if (!isPlainObject(schema)) {
      problems.add(`${at}, type ${uid}`, 'expected an object');
      return [];
    }
    return storedType({ ...pick(schema), uid }, at, problems) ?? [];
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

function pick(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(exportedKeys.flatMap((key) => (key in schema ? [[key, schema[key]]] : [])));
}
