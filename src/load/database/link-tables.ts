/** Where the database holds relations: in tables of their own, except for some relations to one row. */
import {
  type EntryType,
  fileType,
  isRelation,
  isScalar,
  type LinkAttribute,
  type Schema,
} from '../../model/schema/schema.ts';
import * as identifiers from './identifiers.ts';
import type { StoredTypes } from './stored-types.ts';

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

/** Returns the tables of the relations that a type owns, without media. */
export function linkTablesOf(type: EntryType, stored: StoredTypes, schema: Schema): LinkTable[] {
  return Array.from(type.attributes.values()).flatMap((attribute): LinkTable[] => {
    if (isScalar(attribute) || !attribute.owner || !schema.storesLinks(attribute)) return [];
    if (attribute.kind === 'polymorphic') return [polymorphicTableOf(type, attribute, stored)];
    return attribute.kind === 'relation' ? [relationTableOf(type, attribute, stored)] : [];
  });
}

/** Returns the table of all media, or null if nothing refers to files. */
export function mediaTableOf(
  types: readonly EntryType[],
  stored: StoredTypes,
  schema: Schema,
): PolymorphicTable | null {
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
