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
