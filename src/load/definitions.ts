/** Schemas of the hand-written files of a JSON snapshot, and the built-in types. */
import { z } from 'zod';
import { databaseNames } from '../core/dialect.ts';
import { formatNumber, type Problems } from '../core/problems.ts';
import { roleDefinition } from '../model/access/definitions.ts';
import { fileType, localeType, roleType, userType } from '../model/schema/schema.ts';
import type { AttributeDefinition, TypeDefinition } from '../model/schema/type-definition.ts';
import { limits } from './limits.ts';

const attributes = z.record(z.string(), z.looseObject({ type: z.string() }));
const schemaKey = z.string().optional();

/** Keys of an attribute definition. Includes Strapi's keys that have no effect here. */
export const attributeKeys: ReadonlySet<string> = new Set(
  (
    'type private required unique default configurable writable visible searchable sortable autoPopulate ' +
    'collectionName pluginOptions customField options displayName description icon min max minLength maxLength regex conditions column columnType useJoinTable unstable_virtual ' +
    'joinColumn enum enumName targetField allowedTypes multiple relation target inversedBy mappedBy morphBy morphColumn ' +
    'joinTable component repeatable components'
  ).split(' '),
);

/** Keys that JSON snapshots and exports share. */
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

/** The relevant part of a type in an export. Exports omit empty keys. */
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
  /** Whether users must confirm their e-mail address before they can authenticate. */
  emailConfirmation: z.boolean().optional(),
  /** The uids of types in the order in which a file lists its uses. Default: in the order of their files. */
  types: z.array(z.string()).optional(),
  /** Descriptions of types that were inferred from data. There are then no drafts, locales or users. */
  inferred: z.array(z.string()).optional(),
  /** Where the content is from. It is then read as an export of that Strapi is. */
  strapi: z
    .strictObject({
      version: z.string().nullable(),
      database: z.enum(databaseNames).optional(),
      mysql: z.strictObject({ collation: z.string(), hasJson: z.boolean() }).optional(),
    })
    .optional(),
});

export const rolesFile = z.array(roleDefinition);
/** Roles wrapped in an object, which allows a `$schema` key. */
export const rolesObject = z.strictObject({ $schema: schemaKey, roles: rolesFile });

/** Loose type of attribute definitions for callers of `open`. They are validated at load. */
type AttributesInput = { attributes: Readonly<Record<string, object | undefined>> };

export type ContentTypeFile = Omit<z.input<typeof contentTypeFile>, 'attributes'> & AttributesInput;
export type ComponentFile = Omit<z.input<typeof componentFile>, 'attributes'> & AttributesInput;
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
 * Returns the built-in types, extended by the attributes in `added`. Without users, omits the user type and all
 * relations to it.
 */
export function builtInTypes(
  added: ReadonlyMap<string, { location: string; attributes: Record<string, AttributeDefinition> }>,
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
      location: added.get(uid)?.location ?? uid,
      component: false,
      info: { singularName, pluralName },
      attributes: { ...attributes, ...added.get(uid)?.attributes },
    }),
  );
}

export function isBuiltIn(uid: string): boolean {
  return Object.hasOwn(builtIn, uid);
}

/** Throws a SnapshotError if the number of types or attributes exceeds a limit. */
export function checkDefinitionLimits(definitions: readonly TypeDefinition[], problems: Problems): void {
  const before = problems.count;
  if (definitions.length > limits.types) {
    const message = `${formatNumber(definitions.length)} content types and components; the limit is ${formatNumber(limits.types)}`;
    problems.add('', message);
  }
  let all = 0;
  for (const { location, attributes } of definitions) {
    const count = Object.keys(attributes).length;
    all += count;
    if (count <= limits.attributes) continue;
    problems.add(location, `${formatNumber(count)} attributes; the limit is ${formatNumber(limits.attributes)}`);
  }
  if (all > limits.allAttributes) {
    problems.add(
      '',
      `${formatNumber(all)} attributes in all types; the limit is ${formatNumber(limits.allAttributes)}`,
    );
  }
  if (problems.count > before) problems.throwIfAny();
}
