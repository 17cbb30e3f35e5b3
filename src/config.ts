import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { roleDefinition, tokenDefinition } from './access/definitions.ts';
import { mediaFields } from './config/media.ts';
import { describeProblem } from './config/problem.ts';
import { replyFields } from './config/replies.ts';
import { serverFields } from './config/server.ts';

/** What can be set, with every default: the options of `open`, and the config file, which adds those of the server. */

const count = z.int().min(1);

export const dialects = ['document', 'strapi'] as const;

/** Refuses a second item with the same key: the first would be in force nowhere, and nobody would notice. */
function unique<T>(key: (item: T) => string, keyName: string) {
  return (items: T[], context: z.RefinementCtx<T[]>) => {
    const seen = new Map<string, number>();
    for (const [index, item] of items.entries()) {
      const first = seen.get(key(item));
      if (first === undefined) seen.set(key(item), index);
      else
        context.addIssue({ code: 'custom', path: [index, keyName], message: `must differ from that of item ${first}` });
    }
  };
}

const optionFields = {
  dialect: z
    .enum(dialects)
    .optional()
    .describe(
      'How the points are answered on which the specification and Strapi differ; the default depends on the kind of snapshot',
    ),
  tokens: z
    .array(tokenDefinition)
    .superRefine(unique((token) => token.sha256.toLowerCase(), 'sha256'))
    .default([])
    .describe('API tokens that are accepted'),
  roles: z
    .array(roleDefinition)
    .superRefine(unique((role) => role.type, 'type'))
    .default([])
    .describe("Roles, each in place of the snapshot's role of the same type"),
  jwtSecret: z.string().min(1).optional().describe("Secret of the users' JWTs (HS256); without it no JWT is accepted"),
  defaultLimit: count.default(25).describe('Entries a page, if a request does not say'),
  maxLimit: count.default(100).describe('Most entries a page; a request for more gets this many'),
  arrayLimit: count.default(100).describe('Most items in one list of a query string'),
  prefix: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)+$/, 'must be a path such as /api, without a slash at the end')
    .default('/api')
    .describe('Path before every content route'),
  budgets: z
    .strictObject({
      nodes: count.default(100_000).describe('Most entries, components and media files in one reply'),
      bytes: count.default(16 * 2 ** 20).describe('Most bytes in one reply'),
      steps: count.default(30_000_000).describe('Most steps that one query may take, each about a nanosecond'),
      queryBytes: count.default(16_384).describe('Most bytes of a query string'),
      parameters: count.default(1000).describe('Most parameters of a query string'),
      depth: count.max(200).default(20).describe('Most brackets in a key, and most names in a dotted path'),
      conditions: count.default(500).describe('Most comparisons in all filters of a query together'),
      populate: count.default(1000).describe('Most places at which a query populates a type'),
    })
    .prefault({})
    .describe('A request that would pass one of these is refused'),
  cacheBytes: z
    .int()
    .min(0)
    .default(64 * 2 ** 20)
    .describe('Most bytes of replies, plain and compressed, kept for the next request; 0 keeps none'),
  lenient: z
    .boolean()
    .default(false)
    .describe('Leave dangling relations out and say how many, in place of refusing the snapshot'),
  ...mediaFields,
  ...replyFields,
};

const optionsSchema = z.strictObject(optionFields);

export const configSchema = z.strictObject({
  $schema: z.string().optional().describe('Where an editor finds this schema'),
  ...optionFields,
  ...serverFields,
});

/** The options of `open`: all may be left out. */
export type OpenOptions = z.input<typeof optionsSchema>;
/** The options of `open` with the defaults filled in. */
export type Settings = z.output<typeof optionsSchema>;
/** A config file with the defaults filled in. */
export type Config = z.output<typeof configSchema>;
export type Dialect = (typeof dialects)[number];

/** A setting that cannot be used. The message has one line a problem: file, key path, what is wrong, value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads a config file. Throws a ConfigError that names the file, the key and the value. */
export function readConfig(path: string): Config {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${path}: cannot be read: ${(error as Error).message}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new ConfigError(`${path}: is not JSON: ${(error as Error).message}`);
  }
  return check(configSchema, value, path);
}

/** The config that is in force without a file. */
export function defaultConfig(): Config {
  return configSchema.parse({});
}

/** The options of `open`, checked, with the defaults filled in. Throws a ConfigError. */
export function readOptions(options: OpenOptions = {}): Settings {
  return check(optionsSchema, options, 'options');
}

/** The options of `open` in a config. */
export function openOptions(config: Config): OpenOptions {
  return Object.fromEntries(Object.entries(config).filter(([key]) => key in optionFields));
}

function check<T extends z.ZodType>(schema: T, value: unknown, source: string): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ConfigError(result.error.issues.map((issue) => `${source}: ${describeProblem(issue, value)}`).join('\n'));
}
