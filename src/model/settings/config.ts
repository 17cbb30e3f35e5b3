import { z } from 'zod';
import { type DialectName, databaseNames } from '../../core/dialect.ts';
import { tolerances } from '../../core/problems.ts';
import { jwtManagements, roleDefinition, tokenDefinition } from '../access/definitions.ts';
import { features } from './features.ts';
import { mediaFields } from './media.ts';
import { replyFields, routeFields } from './replies.ts';
import { checkPorts, checkUpstream, serverFields } from './server.ts';
import { unique } from './setting-problems.ts';

/** All settings with their defaults: the options of `open`, and the config file, which adds those of the server. */

const count = z.int().min(1);

const dialectNames = ['document', 'strapi'] as const satisfies readonly DialectName[];

const optionFields = {
  dialect: z
    .enum(dialectNames)
    .optional()
    .describe(
      'Whether to follow the specification (document) or a recorded Strapi (strapi) where they differ. Default: strapi for Strapi exports, document for JSON snapshots',
    ),
  database: z
    .enum(databaseNames)
    .optional()
    .describe(
      'Whose rules decide where null stands in a sort, and how case and accents of texts count: those of the database that Strapi runs on; mysql is MariaDB too. Default: the database of the Strapi project that is served, that of a prebuilt image, and postgres for all else',
    ),
  tokens: z
    .array(tokenDefinition)
    .superRefine(unique((token) => token.sha256.toLowerCase(), 'sha256'))
    .default([])
    .describe('Accepted API tokens, besides those of the Strapi project that is served'),
  roles: z
    .array(roleDefinition)
    .superRefine(unique((role) => role.type, 'type'))
    .default([])
    .describe('Roles. Each replaces the role of the same type in the snapshot'),
  public: z
    .boolean()
    .default(false)
    .describe('For development: everyone may read every content type, but not users or drafts'),
  features,
  drafts: z
    .boolean()
    .default(false)
    .describe(
      'Show every document in the state of its draft, to everyone who may read it: for previews. `status` in a query then has no effect',
    ),
  users: z
    .boolean()
    .default(true)
    .describe(
      'Whether the content has its users. With false, none is read: relations to them are empty, every JWT is rejected, and no image, journal or publication has one',
    ),
  jwtSecret: z
    .string()
    .min(1)
    .optional()
    .describe(
      "HS256 secret for verifying users' JWTs. Default: that of the Strapi project that is served. Without any, every JWT is rejected",
    ),
  jwtManagement: z
    .enum(jwtManagements)
    .optional()
    .describe(
      "Form of users' JWTs: the setting of the same name of Strapi's plugin users-permissions. Default: that of the Strapi project that is served, otherwise legacy-support",
    ),
  strapiCredentials: z
    .boolean()
    .default(true)
    .describe('Accept the API tokens and the JWTs of the Strapi project that is served'),
  defaultLimit: count
    .optional()
    .describe('Page size of a request without one. Default: 25, or maxLimit if that is smaller'),
  maxLimit: count.default(100).describe('Maximum page size. Larger values are clamped to it'),
  arrayLimit: count.default(100).describe('Maximum number of items in one list of a query string'),
  prefix: z
    .string()
    .regex(/^((\/[A-Za-z0-9._~-]+)*|\/)$/, 'must be empty or a path such as /api, without a trailing slash')
    .overwrite((path) => (path === '/' ? '' : path))
    .default('/api')
    .describe('Path before every content route; empty or / for none'),
  budgets: z
    .strictObject({
      nodes: count.default(100_000).describe('Maximum number of entries, components and media files in one reply'),
      bytes: count.default(16 * 2 ** 20).describe('Maximum size of one reply, in bytes'),
      steps: count
        .default(20_000_000)
        .describe('Maximum cost of one query, estimated from sizes in units of one to two nanoseconds'),
      queryBytes: count.default(16_384).describe('Maximum length of a query string, in bytes'),
      parameters: count.default(1000).describe('Maximum number of parameters of a query string'),
      depth: count.max(200).default(20).describe('Maximum number of brackets in a key, and of names in a dotted path'),
      conditions: count.default(500).describe('Maximum number of comparisons in all filters of a query'),
      populate: count.default(1000).describe('Maximum number of types that a query populates, counted at each place'),
      sorts: count.default(200).describe('Maximum number of names in all sort keys of a query; author.name has two'),
    })
    .prefault({})
    .describe('Limits of one request. A request that exceeds one is rejected'),
  cacheBytes: z
    .int()
    .min(0)
    .default(64 * 2 ** 20)
    .describe('Maximum memory of cached replies (plain and compressed) and row sets, in bytes; 0 for no caches'),
  derivedBytes: z
    .int()
    .min(2 ** 20)
    .default(16 * 2 ** 20)
    .describe(
      'Maximum bytes of structures that are derived from the content on first use: visible rows, their counts, and what relations to one row lead to',
    ),
  preparedBytes: z
    .int()
    .min(0)
    .default(16 * 2 ** 20)
    .describe(
      'Maximum memory of prepared queries, in bytes. Most take a few thousand bytes; a site has one for each kind of request',
    ),
  search: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Attributes whose search indexes are built while content is loaded, such as api::article.article.title, or * for all. Those of others are built when they are first searched',
    ),
  searchBytes: z
    .int()
    .min(0)
    .default(256 * 2 ** 20)
    .describe(
      'Maximum bytes of search indexes that are built when texts are first searched; 0 builds none, and every search reads all texts',
    ),
  earlierBytes: z
    .int()
    .min(0)
    .default(256 * 2 ** 20)
    .describe(
      'Maximum bytes of earlier versions that are kept to pin one of them, besides what they share with the latest one; 0 keeps none',
    ),
  tolerance: z
    .enum(tolerances)
    .optional()
    .describe(
      'Whether mistakes that Strapi tolerates are warnings (tolerant) or errors (strict). Default: tolerant for Strapi exports, strict for JSON snapshots',
    ),
  ...mediaFields,
  ...replyFields,
  ...routeFields,
};

/** `defaultLimit` must not exceed `maxLimit`, and its default depends on it. */
const limits = {
  check({ defaultLimit, maxLimit }: Limits, context: z.RefinementCtx): void {
    if (defaultLimit === undefined || defaultLimit <= maxLimit) return;
    const message = `must be at most maxLimit (${maxLimit})`;
    context.addIssue({ code: 'custom', path: ['defaultLimit'], message });
  },
  fill<T extends Limits>(settings: T): T & { defaultLimit: number } {
    return { ...settings, defaultLimit: settings.defaultLimit ?? Math.min(25, settings.maxLimit) };
  },
};

/** A JWT is accepted only if its user is in the content. */
function checkUsers(
  { users, jwtSecret }: { users: boolean; jwtSecret?: string | undefined },
  context: z.RefinementCtx,
): void {
  if (users || jwtSecret === undefined) return;
  const message = 'must be true if jwtSecret is set, because a JWT is accepted only if the content has its user';
  context.addIssue({ code: 'custom', path: ['users'], message });
}

interface Limits {
  defaultLimit?: number;
  maxLimit: number;
}

export const optionsSchema = z
  .strictObject(optionFields)
  .superRefine(limits.check)
  .superRefine(checkUsers)
  .transform(limits.fill);

export const configSchema = z
  .strictObject({
    $schema: z.string().optional().describe('Address of this schema, for editors'),
    ...optionFields,
    ...serverFields,
  })
  .superRefine(limits.check)
  .superRefine(checkUsers)
  .superRefine(checkPorts)
  .superRefine(checkUpstream)
  .transform(limits.fill);

/** The options of `open`. All are optional. */
export type OpenOptions = z.input<typeof optionsSchema>;
/** The options of `open` with the defaults filled in. */
export type Settings = z.output<typeof optionsSchema>;
/** A config file with the defaults filled in. */
export type Config = z.output<typeof configSchema>;

/** Invalid settings. The message has one line per problem, with source, key path, rule and value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
