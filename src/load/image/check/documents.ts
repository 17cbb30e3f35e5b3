/** The documents of an image, as somebody else may have written them. */
import { z } from 'zod';
import { describeProblem } from '../../../core/describe-problem.ts';
import { databaseNames } from '../../../core/dialect.ts';
import { preview } from '../../../core/problems.ts';
import { roleDefinition } from '../../../model/access/definitions.ts';
import { scalarTypes } from '../../../model/schema/schema.ts';
import { arrayKinds } from '../../../store/flat-arrays.ts';
import type { ContentDocuments, ImageFacts } from '../describe-content.ts';

/** The API tokens of a Strapi, as somebody else may have written them. */
export const apiTokens = z.array(
  z.object({
    name: z.string(),
    type: z.enum(['read-only', 'full-access', 'custom']),
    permissions: z.array(z.string()),
    accessKey: z.string(),
    expires: z.number().nullable(),
  }),
);

/** Not strict: a later version may add keys that this one does not need. */
const facts = z.object({
  kind: z.enum(['json', 'strapi']),
  strapiVersion: z.string().nullable(),
  dialect: z.enum(['document', 'strapi']),
  database: z.enum(databaseNames).optional(),
  mysql: z.object({ collation: z.string().max(64), hasJson: z.boolean() }).optional(),
  mediaUrl: z.string().nullable(),
  uploadsOrigins: z.array(z.string()).optional(),
  roles: z.array(roleDefinition),
  emailConfirmation: z.boolean(),
  blockedUsers: z.array(z.string()),
  apiTokens: apiTokens.optional(),
  uploads: z.union([z.array(z.string()), z.literal('all')], 'must be a list of file names, "all" or null').nullable(),
} satisfies Record<keyof ImageFacts, z.ZodType>);

const text = z.string().optional();

const types = z.array(
  z.object({
    uid: z.string(),
    component: z.boolean(),
    kind: text,
    modelName: text,
    plugin: text,
    collectionName: text,
    info: z
      .object({ singularName: text, pluralName: text, displayName: text, description: text, icon: text })
      .optional(),
    options: z.record(z.string(), z.unknown()).optional(),
    pluginOptions: z
      .object({ 'content-type-builder': z.object({ visible: z.boolean().optional() }).optional() })
      .optional(),
    attributes: z.record(z.string(), z.record(z.string(), z.unknown())),
  }),
);

const notices = z.object({
  inferred: z.array(z.string()).nullable(),
  warnings: z.array(z.object({ kind: z.string(), count: z.number(), message: z.string() })),
});

const named = { name: z.string().min(1), private: z.boolean() };
const link = { ...named, many: z.boolean(), owner: z.boolean() };

const schema = z.array(
  z.object({
    uid: z.string().min(1),
    kind: z.enum(['collectionType', 'singleType', 'component']),
    singularName: z.string(),
    pluralName: z.string(),
    draftAndPublish: z.boolean(),
    localized: z.boolean(),
    attributes: z.array(
      z.discriminatedUnion('kind', [
        z.object({
          ...named,
          kind: z.literal('scalar'),
          type: z.enum(scalarTypes),
          values: z.array(z.string()).optional(),
          searchable: z.boolean(),
        }),
        z.object({
          ...link,
          kind: z.enum(['relation', 'media', 'component']),
          target: z.string(),
          inverse: z.string().nullable(),
          fromPolymorphic: z.boolean().optional(),
          unconnected: z.boolean().optional(),
        }),
        z.object({
          ...link,
          kind: z.enum(['polymorphic', 'dynamiczone']),
          components: z.array(z.string()).nullable(),
        }),
      ]),
    ),
  }),
);

const store = z.object({
  version: z.string().regex(/^([0-9a-f]{16}){1,2}$/, 'must be 16 or 32 hexadecimal digits'),
  schemaKey: z.string(),
  defaultLocale: z.string().min(1),
  locales: z.array(z.string()),
  arrays: z.object({
    shapes: z.array(z.object({ kind: z.enum(arrayKinds), length: z.int().min(0) })),
    positions: z.record(z.string(), z.int().min(0)),
    numbers: z.record(z.string(), z.number()),
  }),
});

const version = z.object({ epoch: z.int().min(1), sequence: z.int().min(0) });

/** By the name of their section. */
const documents = { facts, types, notices, schema, store, version } satisfies Record<keyof ContentDocuments, z.ZodType>;

/** Returns a document as it is. Throws an Error that names the first place that its schema rejects. */
export function checkedDocument<Name extends keyof ContentDocuments>(
  name: Name,
  document: unknown,
): ContentDocuments[Name] {
  const { success, error } = documents[name].safeParse(document);
  if (!success) throw new Error(`its section ${name}: ${describeProblem(error.issues[0], document, documents[name])}`);
  if (name === 'store') checkPositions(document as ContentDocuments['store']);
  return document as ContentDocuments[Name];
}

/** Each array has a name, and each name an array. */
function checkPositions({ arrays: { shapes, positions } }: ContentDocuments['store']): void {
  const named = new Set(Object.values(positions));
  const wrong = Object.entries(positions).find(([, position]) => position >= shapes.length);
  if (wrong)
    throw new Error(`its section store: array ${wrong[0]} is ${wrong[1]}, but there are ${shapes.length} shapes`);
  const unnamed = shapes.findIndex((_, position) => !named.has(position));
  if (unnamed >= 0) throw new Error(`its section store: shape ${unnamed} has no name: ${preview(shapes[unnamed])}`);
}
