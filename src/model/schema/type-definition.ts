/** Definitions of types as written in files, and the names that attributes may have. data/schemas holds the same lists. */
import { administratorType } from './schema.ts';

/** A type definition as in Strapi's `schema.json` and exports, limited to the keys that the schema reads. */
export interface TypeDefinition {
  uid: string;
  /** The file of the definition, for messages. */
  location: string;
  component: boolean;
  kind?: string;
  info?: { singularName?: string; pluralName?: string };
  options?: { draftAndPublish?: boolean; populateCreatorFields?: boolean; privateAttributes?: string[] };
  pluginOptions?: { i18n?: { localized?: boolean } };
  attributes: Record<string, AttributeDefinition>;
}

/** The definition of a content type or component, with what only its description shows. */
export type SnapshotType = Omit<TypeDefinition, 'location'> & {
  readonly modelName?: string;
  readonly plugin?: string;
  readonly collectionName?: string;
  readonly info?: { readonly displayName?: string; readonly description?: string; readonly icon?: string };
  readonly pluginOptions?: { readonly 'content-type-builder'?: { readonly visible?: boolean } };
};

export type AttributeDefinition = Record<string, unknown> & { type?: string };

const secret = { type: 'string', private: true };

/** The type of administrators. It is the same for every snapshot. Definitions in exports are ignored. */
export const administrators: TypeDefinition = {
  uid: administratorType,
  location: administratorType,
  component: false,
  attributes: {
    firstname: { type: 'string' },
    lastname: { type: 'string' },
    username: { type: 'string' },
    preferedLanguage: { type: 'string' },
    email: { type: 'email', private: true },
    password: { type: 'password' },
    resetPasswordToken: secret,
    registrationToken: secret,
    isActive: { type: 'boolean', private: true },
    blocked: { type: 'boolean', private: true },
    roles: { type: 'relation', relation: 'manyToMany', target: 'admin::role' },
  },
};

/** Rules for attribute names. The JSON Schemas in data/schemas hold the same lists. */

/** Relations to administrators. Every content type has them. */
export const creatorNames: ReadonlySet<string> = new Set(['createdBy', 'updatedBy']);

/** Datetime attributes of every content type. */
export const timestampNames: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'publishedAt']);

/** Attributes of every content type. A definition may repeat them, as exports do, but cannot change them. */
export const systemNames: ReadonlySet<string> = new Set([
  'id',
  'documentId',
  ...timestampNames,
  ...creatorNames,
  'locale',
  'localizations',
]);

/** Names that attributes of a content type cannot have, because entries use them otherwise. */
export const reservedInTypes: ReadonlySet<string> = new Set([...systemNames, 'status', '__type']);

/** Names that attributes of a component cannot have. */
export const reservedInComponents: ReadonlySet<string> = new Set(['id', '__component']);

/**
 * Source of a regular expression, with the flag `u`, for attribute names. Excludes dots, colons, commas and plain
 * numbers, which have a meaning in queries, and `__proto__`, which JavaScript treats specially.
 */
export const namePattern = '(?!\\d+$|__proto__$)[\\p{L}\\p{M}\\p{N}_-]+';

const attributeName = new RegExp(`^${namePattern}$`, 'u');

export function isAttributeName(name: string): boolean {
  return attributeName.test(name);
}
