/** The content model: types, components and their attributes, as the rest of the program sees them. */

/** What an attribute that holds a plain value may be. */
export const scalarTypes = [
  'string',
  'text',
  'richtext',
  'blocks',
  'enumeration',
  'email',
  'password',
  'uid',
  'date',
  'time',
  'datetime',
  'timestamp',
  'integer',
  'biginteger',
  'float',
  'decimal',
  'boolean',
  'json',
  'array',
] as const;

export type ScalarType = (typeof scalarTypes)[number];

interface AttributeBase {
  readonly name: string;
  /** Never loaded, never served, never to be named in a query. Passwords are private. */
  readonly private: boolean;
}

export interface ScalarAttribute extends AttributeBase {
  readonly kind: 'scalar';
  readonly type: ScalarType;
  /** The values that an enumeration may have. */
  readonly values?: readonly string[];
  /** Whether `_q` looks into it. */
  readonly searchable: boolean;
}

/** A link to rows of one other type. Media link to files, components to rows of their component type. */
export interface RelationAttribute extends AttributeBase {
  readonly kind: 'relation' | 'media' | 'component';
  readonly many: boolean;
  /** uid of the type that it leads to. */
  readonly target: string;
  /** The attribute of the target type that is the same relation seen from there, if there is one. */
  readonly inverse: string | null;
  /** False for the side that is derived from the other (`mappedBy`, `morphBy`, localizations). */
  readonly owner: boolean;
  /** Whether the owning side is polymorphic (`morphOne`, `morphMany`). */
  readonly fromPolymorphic?: boolean;
  /**
   * Whether the other side does not lead back, so that there is nothing to show. Queries may populate the attribute,
   * and replies leave it out.
   */
  readonly unconnected?: boolean;
}

/** A link to rows of several types: a polymorphic relation, or a dynamic zone. */
export interface PolymorphicAttribute extends AttributeBase {
  readonly kind: 'polymorphic' | 'dynamiczone';
  readonly many: boolean;
  /** uids of the components of a zone; null: any content type. */
  readonly components: readonly string[] | null;
  /** False for the files' `related`, which is derived from all media attributes. */
  readonly owner: boolean;
}

export type LinkAttribute = RelationAttribute | PolymorphicAttribute;
export type Attribute = ScalarAttribute | LinkAttribute;

/** A content type or a component. */
export interface EntryType {
  readonly uid: string;
  readonly kind: 'collectionType' | 'singleType' | 'component';
  readonly singularName: string;
  readonly pluralName: string;
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
  /** By name, in the order in which a reply carries them: `id` and `documentId` first. */
  readonly attributes: ReadonlyMap<string, Attribute>;
}

export const fileType = 'plugin::upload.file';
export const userType = 'plugin::users-permissions.user';
export const roleType = 'plugin::users-permissions.role';
export const permissionType = 'plugin::users-permissions.permission';
export const localeType = 'plugin::i18n.locale';
/** Who writes: of him no snapshot holds anything, but relations may lead to him. */
export const administratorType = 'admin::user';
export class Schema {
  readonly types: ReadonlyMap<string, EntryType>;
  readonly #held: ReadonlySet<LinkAttribute>;

  constructor(types: Iterable<EntryType>) {
    this.types = new Map(Array.from(types, (type) => [type.uid, type]));
    this.#held = new Set(Array.from(this.types.values(), (type) => this.#shownBy(type)).flat());
  }

  /**
   * Whether the connections of an attribute are kept: those of one that owns them and is not private, or that another
   * shows from the other side.
   */
  holds(attribute: LinkAttribute): boolean {
    return this.#held.has(attribute);
  }

  /** The owners of what the attributes of a type show, whichever side they are on. */
  #shownBy(type: EntryType): LinkAttribute[] {
    return Array.from(type.attributes.values()).flatMap((attribute) => {
      if (isScalar(attribute) || attribute.private || leadsToAdministrators(attribute)) return [];
      if (attribute.owner) return [attribute];
      if (isRelation(attribute) && attribute.unconnected) return [];
      const owner = isRelation(attribute) && this.types.get(attribute.target)?.attributes.get(attribute.inverse ?? '');
      return owner && !isScalar(owner) ? [owner] : [];
    });
  }

  /** The type with a uid that is known to exist. */
  type(uid: string): EntryType {
    const type = this.types.get(uid);
    if (!type) throw new Error(`no type ${uid} in the schema`);
    return type;
  }
}

export function isScalar(attribute: Attribute): attribute is ScalarAttribute {
  return attribute.kind === 'scalar';
}

/** Whether the attribute leads to several types. */
export function isPolymorphic(attribute: Attribute): attribute is PolymorphicAttribute {
  return attribute.kind === 'polymorphic' || attribute.kind === 'dynamiczone';
}

export function leadsToAdministrators(attribute: Attribute): boolean {
  return attribute.kind === 'relation' && attribute.target === administratorType;
}

/** Whether it leads to the other rows of the same document. A component may have another attribute of that name. */
export function isLocalizations(attribute: Attribute): boolean {
  return attribute.kind === 'relation' && attribute.name === 'localizations' && !attribute.owner && !attribute.inverse;
}

/** Whether the attribute leads to rows of one type. */
export function isRelation(attribute: Attribute): attribute is RelationAttribute {
  return attribute.kind === 'relation' || attribute.kind === 'media' || attribute.kind === 'component';
}

/** The scalar attributes of a type that are kept and served, in order. */
export function servedScalars(type: EntryType): ScalarAttribute[] {
  return Array.from(type.attributes.values()).filter(
    (attribute): attribute is ScalarAttribute => isScalar(attribute) && !attribute.private,
  );
}

/** The first part of the path that a content type is served at. */
export function routeOf({ kind, singularName, pluralName }: EntryType): string {
  return kind === 'singleType' ? singularName : pluralName;
}
