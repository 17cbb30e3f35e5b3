/** The files of a JSON snapshot that a person writes by hand: their shapes, and the types that need no file. */
import { z } from 'zod';
import { roleDefinition } from '../access/definitions.ts';
import type { AttributeDefinition, TypeDefinition } from '../model/read-schema.ts';
import { fileType, localeType, roleType, userType } from '../model/schema.ts';
import { limits } from './limits.ts';

const attributes = z.record(z.string(), z.looseObject({ type: z.string() }));
const schemaKey = z.string().optional();

/** All keys that an attribute's definition may have; those that say nothing to a reader of content are accepted. */
export const attributeKeys: ReadonlySet<string> = new Set(
  (
    'type private required unique default configurable writable visible searchable sortable autoPopulate ' +
    'collectionName pluginOptions customField options displayName description icon min max minLength maxLength regex conditions column columnType useJoinTable unstable_virtual ' +
    'joinColumn enum enumName targetField allowedTypes multiple relation target inversedBy mappedBy morphBy morphColumn ' +
    'joinTable component repeatable components'
  ).split(' '),
);

/** What both forms of a type say alike. */
const typeKeys = {
  info: z.looseObject({ singularName: z.string().optional(), pluralName: z.string().optional() }).optional(),
  options: z
    .looseObject({
      draftAndPublish: z.boolean().optional(),
      populateCreatorFields: z.boolean().optional(),
      privateAttributes: z.array(z.string()).optional(),
    })
    .optional(),
  pluginOptions: z.looseObject({ i18n: z.looseObject({ localized: z.boolean().optional() }).optional() }).optional(),
};

export const contentTypeFile = z.strictObject({
  $schema: schemaKey,
  uid: z.string().optional(),
  kind: z.enum(['collectionType', 'singleType']).optional(),
  collectionName: z.string().optional(),
  config: z.looseObject({}).optional(),
  ...typeKeys,
  attributes,
});

export const componentFile = z.strictObject({
  $schema: schemaKey,
  collectionName: z.string().optional(),
  info: z.looseObject({}).optional(),
  options: typeKeys.options,
  pluginOptions: z.looseObject({}).optional(),
  config: z.looseObject({}).optional(),
  attributes,
});

/** A type in an export, as far as it is looked at. Keys with nothing in them are left out there. */
export const exportedType = z.looseObject({
  uid: z.string(),
  kind: z.string().optional(),
  ...typeKeys,
  attributes: z.looseObject({}),
});

export const settingsFile = z.strictObject({
  $schema: schemaKey,
  defaultLocale: z.string().min(1).default('en'),
  locales: z
    .array(z.strictObject({ code: z.string().min(1), name: z.string().optional() }))
    .max(limits.locales)
    .optional(),
});

export const rolesFile = z.array(roleDefinition);
/** The same in an object, beside which `$schema` can stand. */
export const rolesObject = z.strictObject({ $schema: schemaKey, roles: rolesFile });

/** Attributes by name, as a program writes them down: what each of them says is checked when they are read. */
type WrittenAttributes = { attributes: Readonly<Record<string, object | undefined>> };

export type ContentTypeFile = Omit<z.input<typeof contentTypeFile>, 'attributes'> & WrittenAttributes;
export type ComponentFile = Omit<z.input<typeof componentFile>, 'attributes'> & WrittenAttributes;
export type SettingsFile = z.input<typeof settingsFile>;

const text = { type: 'string' };
const long = { type: 'text' };
const secret = { type: 'string', private: true };

const builtIn: Record<string, { singularName: string; pluralName: string; attributes: TypeDefinition['attributes'] }> =
  {
    [fileType]: {
      singularName: 'file',
      pluralName: 'files',
      attributes: {
        name: text,
        alternativeText: long,
        caption: long,
        focalPoint: { type: 'json' },
        width: { type: 'integer' },
        height: { type: 'integer' },
        formats: { type: 'json' },
        hash: text,
        ext: text,
        mime: text,
        size: { type: 'decimal' },
        url: long,
        previewUrl: long,
        provider: text,
        provider_metadata: { type: 'json' },
        related: { type: 'relation', relation: 'morphToMany' },
      },
    },
    [userType]: {
      singularName: 'user',
      pluralName: 'users',
      attributes: {
        username: text,
        email: { type: 'email' },
        provider: text,
        password: { type: 'password', private: true },
        resetPasswordToken: secret,
        confirmationToken: secret,
        confirmed: { type: 'boolean' },
        blocked: { type: 'boolean' },
        role: { type: 'relation', relation: 'manyToOne', target: roleType, inversedBy: 'users' },
      },
    },
    [roleType]: {
      singularName: 'role',
      pluralName: 'roles',
      attributes: {
        name: text,
        description: text,
        type: text,
        users: { type: 'relation', relation: 'oneToMany', target: userType, mappedBy: 'role' },
      },
    },
    [localeType]: { singularName: 'locale', pluralName: 'locales', attributes: { name: text, code: text } },
  };

/**
 * The types that are always there, with the attributes that `added` files give them. Without users nothing leads to
 * them.
 */
export function builtInTypes(
  added: ReadonlyMap<string, { place: string; attributes: Record<string, AttributeDefinition> }>,
  withUsers = true,
): TypeDefinition[] {
  const kept = Object.entries(builtIn).filter(([uid]) => withUsers || (uid !== userType && uid !== roleType));
  const roles = {
    singularName: 'role',
    pluralName: 'roles',
    attributes: { name: text, description: text, type: text },
  };
  return [...kept, ...(withUsers ? [] : [[roleType, roles] as const])].map(
    ([uid, { singularName, pluralName, attributes }]) => ({
      uid,
      place: added.get(uid)?.place ?? uid,
      component: false,
      info: { singularName, pluralName },
      attributes: { ...attributes, ...added.get(uid)?.attributes },
    }),
  );
}

export function isBuiltIn(uid: string): boolean {
  return Object.hasOwn(builtIn, uid);
}
