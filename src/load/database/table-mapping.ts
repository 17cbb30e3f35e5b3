/** Where the database holds the content: the tables and columns of each type and relation. */
import {
  type EntryType,
  isPolymorphic,
  type ScalarType,
  type Schema,
  servedScalars,
  userType,
} from '../../model/schema/schema.ts';
import { columnName, componentTableName } from './identifiers.ts';
import { type LinkTable, linkTablesOf, mediaTableOf } from './link-tables.ts';
import { type StoredType, StoredTypes } from './stored-types.ts';

/** A scalar attribute and its column. */
export interface AttributeColumn {
  readonly attribute: string;
  readonly column: string;
  readonly type: ScalarType;
}

/** The table of a content type or component. */
export interface TypeTable {
  readonly uid: string;
  readonly table: string;
  /** The columns that are read, without `id`. Private attributes and passwords are not among them. */
  readonly columns: readonly AttributeColumn[];
  /** Null for a type without public components. */
  readonly components: ComponentTable | null;
}

/** The table with the components of the rows of a type. */
export interface ComponentTable {
  readonly table: string;
  /** The public attributes with components, by name. */
  readonly fields: ReadonlyMap<string, ComponentField>;
}

export interface ComponentField {
  readonly many: boolean;
  readonly zone: boolean;
  /** The uids of components that the attribute accepts. */
  readonly accepts: readonly string[];
}

/** The tables of all types and links that are served. */
export interface TableMapping {
  /** By uid. */
  readonly types: ReadonlyMap<string, TypeTable>;
  readonly links: readonly LinkTable[];
}

/** Returns the tables of a schema that was read from `definitions`. */
export function mapTables(definitions: readonly StoredType[], schema: Schema): TableMapping {
  const stored = new StoredTypes(definitions);
  const types = Array.from(schema.types.values()).filter(({ uid }) => stored.has(uid));
  const links = types.flatMap((type) => linkTablesOf(type, stored, schema));
  const media = mediaTableOf(types, stored, schema);
  return {
    types: new Map(types.map((type) => [type.uid, typeTableOf(type, stored, schema)])),
    links: media ? [...links, media] : links,
  };
}

function typeTableOf(type: EntryType, stored: StoredTypes, schema: Schema): TypeTable {
  const { uid } = type;
  const columns = readScalars(type).map(({ name, type: scalar }) => ({
    attribute: name,
    column: stored.attribute(uid, name)?.columnName ?? columnName(name),
    type: scalar,
  }));
  const fields = new Map<string, ComponentField>();
  for (const attribute of type.attributes.values()) {
    if (attribute.kind !== 'component' && attribute.kind !== 'dynamiczone') continue;
    if (!schema.storesLinks(attribute)) continue;
    const zone = attribute.kind === 'dynamiczone';
    const accepts = isPolymorphic(attribute) ? (attribute.components ?? []) : [attribute.target];
    fields.set(attribute.name, { many: zone || attribute.many, zone, accepts });
  }
  const components = { table: componentTableName(stored.type(uid).collectionName), fields };
  return { uid, table: stored.tableOf(uid), columns, components: fields.size > 0 ? components : null };
}

/** Returns the scalar attributes that are read: the public ones, and those that decide on version and access. */
function readScalars(type: EntryType): { name: string; type: ScalarType }[] {
  const needed = new Map<string, ScalarType>(servedScalars(type).map((attribute) => [attribute.name, attribute.type]));
  needed.delete('id');
  if (type.kind !== 'component') needed.set('documentId', 'string');
  if (type.draftAndPublish) needed.set('publishedAt', 'datetime');
  if (type.localized) needed.set('locale', 'string');
  if (type.uid === userType && type.attributes.has('blocked')) needed.set('blocked', 'boolean');
  return Array.from(needed, ([name, scalar]) => ({ name, type: scalar }));
}
