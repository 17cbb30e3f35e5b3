/** The content model: content types, components and their attributes. */

/** The types of scalar attributes. */
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
  /**
   * A private attribute is not served, and queries cannot name it. Its values are not loaded; its links are, if their
   * inverse side is public (see `Schema.storesLinks`). Passwords are private.
   */
  readonly private: boolean;
}

export interface ScalarAttribute extends AttributeBase {
  readonly kind: 'scalar';
  readonly type: ScalarType;
  /** The values of an enumeration. */
  readonly values?: readonly string[];
  /** Whether `_q` searches this attribute. */
  readonly searchable: boolean;
}

/** A link to rows of one type. Media attributes link to files, component attributes to rows of their component. */
export interface RelationAttribute extends AttributeBase {
  readonly kind: 'relation' | 'media' | 'component';
  readonly many: boolean;
  /** uid of the target type. */
  readonly target: string;
  /** The attribute of the target type that is the inverse side of the relation, or null. */
  readonly inverse: string | null;
  /** Whether this side stores the links. False for `mappedBy`, `morphBy` and localizations. */
  readonly owner: boolean;
  /** Whether the owning side is polymorphic (`morphOne`, `morphMany`). */
  readonly fromPolymorphic?: boolean;
  /** Whether the inverse side does not match. Queries may populate the attribute, but replies omit it. */
  readonly unconnected?: boolean;
}

/** A link to rows of several types: a polymorphic relation or a dynamic zone. */
export interface PolymorphicAttribute extends AttributeBase {
  readonly kind: 'polymorphic' | 'dynamiczone';
  readonly many: boolean;
  /** uids of the components of a dynamic zone. Null for a polymorphic relation, which may target any content type. */
  readonly components: readonly string[] | null;
  /** False for `related` of files, which is derived from all media attributes. */
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
  /** By name, in the order of replies: `id` and `documentId` first. */
  readonly attributes: ReadonlyMap<string, Attribute>;
}

export const fileType = 'plugin::upload.file';
export const folderType = 'plugin::upload.folder';
export const userType = 'plugin::users-permissions.user';
export const roleType = 'plugin::users-permissions.role';
export const permissionType = 'plugin::users-permissions.permission';
export const localeType = 'plugin::i18n.locale';
/** Administrators. Snapshots hold no rows of this type, but relations may target it. */
export const administratorType = 'admin::user';

/**
 * Returns whether a type belongs to the admin panel. Such types are not content. Exports hold at most their schemas.
 */
export function isAdministration(uid: string): boolean {
  return uid.startsWith('admin::');
}

export class Schema {
  readonly types: ReadonlyMap<string, EntryType>;
  readonly #stored: ReadonlySet<LinkAttribute>;
  readonly #numbers: ReadonlyMap<Attribute, number>;
  /** By number. */
  readonly #owners: readonly { readonly type: EntryType; readonly attribute: Attribute }[];

  constructor(types: Iterable<EntryType>) {
    this.types = new Map(Array.from(types, (type) => [type.uid, type]));
    this.#owners = [...this.types.values()].flatMap((type) =>
      Array.from(type.attributes.values(), (attribute) => ({ type, attribute })),
    );
    this.#numbers = new Map(this.#owners.map(({ attribute }, number) => [attribute, number]));
    this.#stored = new Set(Array.from(this.types.values(), (type) => this.#visibleOwners(type)).flat());
  }

  /** Returns a number that names an attribute among those of all types. */
  numberOf(attribute: Attribute): number {
    return this.#numbers.get(attribute)!;
  }

  /** Returns the attribute with a number, and its type. */
  attributeAt(number: number): { readonly type: EntryType; readonly attribute: Attribute } {
    return this.#owners[number];
  }

  /** Whether the store holds the links of an owning attribute: it is public, or its inverse side is. */
  storesLinks(attribute: LinkAttribute): boolean {
    return this.#stored.has(attribute);
  }

  /** Returns the owning sides of the public relations of a type. */
  #visibleOwners(type: EntryType): LinkAttribute[] {
    return Array.from(type.attributes.values()).flatMap((attribute) => {
      if (isScalar(attribute) || attribute.private || targetsAdministrators(attribute)) return [];
      if (attribute.owner) return [attribute];
      if (isRelation(attribute) && attribute.unconnected) return [];
      const owner = isRelation(attribute) && this.types.get(attribute.target)?.attributes.get(attribute.inverse ?? '');
      return owner && !isScalar(owner) ? [owner] : [];
    });
  }

  /** Returns a type. Throws if it does not exist. */
  type(uid: string): EntryType {
    const type = this.types.get(uid);
    if (!type) throw new Error(`no type ${uid} in the schema`);
    return type;
  }
}

export function isScalar(attribute: Attribute): attribute is ScalarAttribute {
  return attribute.kind === 'scalar';
}

/** Returns whether the attribute may target several types. */
export function isPolymorphic(attribute: Attribute): attribute is PolymorphicAttribute {
  return attribute.kind === 'polymorphic' || attribute.kind === 'dynamiczone';
}

export function targetsAdministrators(attribute: Attribute): boolean {
  return attribute.kind === 'relation' && attribute.target === administratorType;
}

/**
 * Returns whether the attribute links the locales of a document. Components may have an ordinary attribute of that
 * name.
 */
export function isLocalizations(attribute: Attribute): boolean {
  return attribute.kind === 'relation' && attribute.name === 'localizations' && !attribute.owner && !attribute.inverse;
}

/** Returns whether the attribute targets one type. */
export function isRelation(attribute: Attribute): attribute is RelationAttribute {
  return attribute.kind === 'relation' || attribute.kind === 'media' || attribute.kind === 'component';
}

/** Returns the public scalar attributes of a type, in order. */
export function servedScalars(type: EntryType): ScalarAttribute[] {
  return Array.from(type.attributes.values()).filter(
    (attribute): attribute is ScalarAttribute => isScalar(attribute) && !attribute.private,
  );
}

/** Returns the first path segment of a content type's route. */
export function routeOf({ kind, singularName, pluralName }: EntryType): string {
  return kind === 'singleType' ? singularName : pluralName;
}
