/**
 * Where the database holds the content: the tables and columns of each type and relation. A relation has a table of its
 * own, except some to one row.
 */
import {
  type EntryType,
  fileType,
  isPolymorphic,
  isRelation,
  isScalar,
  type LinkAttribute,
  type ScalarType,
  type Schema,
  servedScalars,
  userType,
} from '../../model/schema/schema.ts';
import * as identifiers from './identifiers.ts';
import { columnName, componentTableName } from './identifiers.ts';
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
  readonly isComponent: boolean;
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

interface ComponentField {
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
  const isComponent = type.kind === 'component';
  return { uid, table: stored.tableOf(uid), isComponent, columns, components: fields.size > 0 ? components : null };
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

interface LinkTableBase {
  /** The type and attribute that own the links. */
  readonly uid: string;
  readonly attribute: string;
  /** The table of the links: one of their own, or that of the owner. */
  readonly table: string;
  /** The column with the id of the owner. */
  readonly source: string;
  /** The column with the id of the target. */
  readonly targetId: string;
}

/** The links of a relation to one type. */
export interface RelationTable extends LinkTableBase {
  readonly kind: 'relation';
  /** The uid of the targets. */
  readonly target: string;
  readonly inverse: string | null;
  /** The columns with the positions on both sides, null for a side without. */
  readonly order: string | null;
  readonly inverseOrder: string | null;
}

/** The links of a relation to several types. */
export interface PolymorphicTable extends LinkTableBase {
  readonly kind: 'polymorphic';
  /** The column with the uid of the target. */
  readonly targetType: string;
  /** Whether the table has the columns `field` and `order`. */
  readonly many: boolean;
  /** The attributes of a target that are read, by its uid. Null: all of every type. */
  readonly fields: ReadonlyMap<string, readonly string[]> | null;
}

export type LinkTable = RelationTable | PolymorphicTable;

/** Returns the column with the row whose list has a link. Media are in a table of the files, but in lists of entries. */
export function listColumn(table: LinkTable): string {
  return table.kind === 'polymorphic' && table.fields !== null ? table.targetId : table.source;
}

/** The columns of a table of components, without `id`. */
export const componentColumns = ['entity_id', 'cmp_id', 'component_type', 'field', 'order'];

/** Returns the columns of a table of links, without `id` unless it is the source. */
export function linkColumns(link: LinkTable): string[] {
  const { source, targetId } = link;
  const others = link.kind === 'relation' ? [link.order, link.inverseOrder] : [link.targetType];
  const list = link.kind === 'polymorphic' && link.many ? ['field', 'order'] : [];
  return [source, targetId, ...others.filter((column) => column !== null), ...list];
}

/** Returns the tables of the relations that a type owns, without media. */
function linkTablesOf(type: EntryType, stored: StoredTypes, schema: Schema): LinkTable[] {
  return Array.from(type.attributes.values()).flatMap((attribute): LinkTable[] => {
    if (isScalar(attribute) || !attribute.owner || !schema.storesLinks(attribute)) return [];
    if (attribute.kind === 'polymorphic') return [polymorphicTableOf(type, attribute, stored)];
    return attribute.kind === 'relation' ? [relationTableOf(type, attribute, stored)] : [];
  });
}

/** Returns the table of all media, or null if nothing refers to files. */
function mediaTableOf(types: readonly EntryType[], stored: StoredTypes, schema: Schema): PolymorphicTable | null {
  const fields = new Map<string, string[]>();
  for (const { uid, attributes } of types) {
    const media = Array.from(attributes.values()).filter(
      (attribute) => attribute.kind === 'media' && schema.storesLinks(attribute),
    );
    const names = media.map(({ name }) => name);
    if (names.length > 0) fields.set(uid, names);
  }
  if (fields.size === 0 || !stored.has(fileType)) return null;
  return { ...polymorphicListOf(fileType, 'related', stored), fields };
}

function polymorphicTableOf({ uid }: EntryType, { name, many }: LinkAttribute, stored: StoredTypes): PolymorphicTable {
  if (many) return polymorphicListOf(uid, name, stored);
  const { morphColumn } = stored.attribute(uid, name) ?? {};
  return {
    kind: 'polymorphic',
    uid,
    attribute: name,
    table: stored.tableOf(uid),
    source: 'id',
    // all of a type share these columns, whatever the attribute is called
    targetId: morphColumn?.idColumn.name ?? identifiers.idColumnName('target'),
    targetType: morphColumn?.typeColumn.name ?? identifiers.typeColumnName('target'),
    many: false,
    fields: null,
  };
}

function polymorphicListOf(uid: string, name: string, stored: StoredTypes): PolymorphicTable {
  return {
    kind: 'polymorphic',
    uid,
    attribute: name,
    table: identifiers.polymorphicTableName(stored.tableOf(uid), name),
    source: identifiers.idColumnName(stored.type(uid).modelName),
    targetId: identifiers.idColumnName(name),
    targetType: identifiers.typeColumnName(name),
    many: true,
    fields: null,
  };
}

function relationTableOf({ uid }: EntryType, attribute: LinkAttribute, stored: StoredTypes): RelationTable {
  const { name } = attribute;
  const target = isRelation(attribute) ? attribute.target : '';
  const definition = stored.attribute(uid, name) ?? {};
  const { relation = '', joinTable, inversedBy = null } = definition;
  const own = { kind: 'relation' as const, uid, attribute: name, target, inverse: inversedBy };
  if (definition.useJoinTable === false) {
    const column = definition.joinColumn?.name ?? identifiers.idColumnName(name);
    return { ...own, table: stored.tableOf(uid), source: 'id', targetId: column, order: null, inverseOrder: null };
  }
  const singular = stored.type(uid).modelName;
  const targetSingular = stored.type(target).modelName;
  const source = identifiers.idColumnName(singular);
  const targetId = identifiers.idColumnName(targetSingular);
  const toMany = relation === 'oneToMany' || relation === 'manyToMany';
  const fromMany = relation === 'manyToOne' || relation === 'manyToMany';
  const order = identifiers.orderColumnName(targetSingular);
  const plainInverseOrder = identifiers.orderColumnName(singular);
  const isAmbiguous = relation === 'manyToMany' && order === plainInverseOrder;
  const inverseOrder = isAmbiguous ? identifiers.inverseOrderColumnName(singular) : plainInverseOrder;
  if (joinTable) {
    return {
      ...own,
      table: joinTable.name,
      source: joinTable.joinColumn.name,
      targetId: joinTable.inverseJoinColumn?.name ?? targetId,
      order: joinTable.orderColumnName ?? null,
      inverseOrder: joinTable.inverseOrderColumnName ?? null,
    };
  }
  return {
    ...own,
    table: identifiers.linkTableName(stored.tableOf(uid), name),
    source,
    targetId: source === targetId ? identifiers.inverseIdColumnName(targetSingular) : targetId,
    order: toMany ? order : null,
    inverseOrder: fromMany && inversedBy !== null ? inverseOrder : null,
  };
}

/** Returns the tables of a content type, of its components, and of those inside them. */
export function tablesOfType(uid: string, { types }: TableMapping): Set<string> {
  const tables = new Set<string>();
  const uids = new Set([uid]);
  // grows while it is walked
  for (const each of uids) {
    const type = types.get(each);
    if (!type) continue;
    tables.add(type.table);
    if (!type.components) continue;
    tables.add(type.components.table);
    for (const { accepts } of type.components.fields.values()) for (const component of accepts) uids.add(component);
  }
  return tables;
}

/** Returns the tables of a mapping, each once. */
export function tableNames({ types, links }: TableMapping): string[] {
  const ofTypes = Array.from(types.values(), ({ table, components }) => [table, components?.table ?? table]);
  return [...new Set([...ofTypes.flat(), ...links.map(({ table }) => table)])];
}
