import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { roleDefinition, tokenDefinition } from '../access/definitions.ts';
import { describeProblem } from '../base/describe-problem.ts';
import { tolerances } from '../base/problems.ts';
import { readStrictJson } from '../base/strict-json.ts';
import { mediaFields } from './media.ts';
import { replyFields } from './replies.ts';
import { routeFields } from './routes.ts';
import { checkPorts, checkUpstream, serverFields } from './server.ts';
import { isPlainObject, merged, setAt, valueAt } from './values.ts';
import { readVariables, variablesOf } from './variables.ts';

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
  public: z
    .boolean()
    .default(false)
    .describe('Lets everybody find every content type, for development; users and drafts stay closed'),
  jwtSecret: z.string().min(1).optional().describe("Secret of the users' JWTs (HS256); without it no JWT is accepted"),
  defaultLimit: count
    .optional()
    .describe('Page size of a request that does not give one: 25, or maxLimit if that is less'),
  maxLimit: count.default(100).describe('Maximum page size. Larger values in a request are clamped to it'),
  arrayLimit: count.default(100).describe('Most items in one list of a query string'),
  prefix: z
    .string()
    .regex(/^((\/[A-Za-z0-9._~-]+)*|\/)$/, 'must be a path such as /api, without a slash at the end, or empty')
    .overwrite((path) => (path === '/' ? '' : path))
    .default('/api')
    .describe('Path before every content route; / or an empty text for none'),
  budgets: z
    .strictObject({
      nodes: count.default(100_000).describe('Most entries, components and media files in one reply'),
      bytes: count.default(16 * 2 ** 20).describe('Most bytes in one reply'),
      steps: count.default(20_000_000).describe('Most steps that one query may take, each of one to two nanoseconds'),
      queryBytes: count.default(16_384).describe('Most bytes of a query string'),
      parameters: count.default(1000).describe('Most parameters of a query string'),
      depth: count.max(200).default(20).describe('Most brackets in a key, and most names in a dotted path'),
      conditions: count.default(500).describe('Most comparisons in all filters of a query together'),
      populate: count.default(1000).describe('Most places at which a query populates a type'),
      sorts: count.default(200).describe('Most names in all sort keys of a query together; author.name has two'),
    })
    .prefault({})
    .describe('A request that would pass one of these is refused'),
  cacheBytes: z
    .int()
    .min(0)
    .default(64 * 2 ** 20)
    .describe('Most bytes of replies, plain and compressed, kept for the next request; 0 keeps none'),
  derivedBytes: z
    .int()
    .min(2 ** 20)
    .default(16 * 2 ** 20)
    .describe(
      'Maximum bytes of structures that are derived from the content on first use: visible rows and their counts',
    ),
  tolerance: z
    .enum(tolerances)
    .optional()
    .describe(
      'Whether a snapshot is loaded, with warnings, if it has mistakes that Strapi tolerates; by default a Strapi export is ("tolerant") and a JSON snapshot is not ("strict")',
    ),
  ...mediaFields,
  ...replyFields,
  ...routeFields,
};

/** `defaultLimit` follows `maxLimit` unless it is given; given, it may not be above. */
const limits = {
  check({ defaultLimit, maxLimit }: Limits, context: z.RefinementCtx): void {
    if (defaultLimit === undefined || defaultLimit <= maxLimit) return;
    const message = `must be at most maxLimit, ${maxLimit}`;
    context.addIssue({ code: 'custom', path: ['defaultLimit'], message });
  },
  fill<T extends Limits>(settings: T): T & { defaultLimit: number } {
    return { ...settings, defaultLimit: settings.defaultLimit ?? Math.min(25, settings.maxLimit) };
  },
};

interface Limits {
  defaultLimit?: number;
  maxLimit: number;
}

const optionsSchema = z.strictObject(optionFields).superRefine(limits.check).transform(limits.fill);

export const configSchema = z
  .strictObject({
    $schema: z.string().optional().describe('Where an editor finds this schema'),
    ...optionFields,
    ...serverFields,
  })
  .superRefine(limits.check)
  .superRefine(checkPorts)
  .superRefine(checkUpstream)
  .transform(limits.fill);

const variables = variablesOf(configSchema);

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

/** Where settings come from. What comes later wins: `defaults`, the config file, the environment, flags. */
export interface Sources {
  /** The path of a config file. */
  readonly file?: string;
  /** Variables: LECTERN_… by setting, and LECTERN_DEFAULTS, the JSON of settings that the file may replace. */
  readonly environment?: NodeJS.ProcessEnv;
  /** In the form of a config file. */
  readonly flags?: object;
}

/** The settings in force. Throws a ConfigError that names the source, the setting and the value. */
export function readConfig({ file, environment = {}, flags = {} }: Sources): Config {
  const { LECTERN_DEFAULTS: defaults } = environment;
  const { settings, problems } = readVariables(variables, environment);
  const fromFile = file === undefined ? {} : withPathsFrom(dirname(file), readJson(file));
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  let values: unknown = fromFile;
  if (isPlainObject(fromFile)) {
    values = merged(defaults ? parseJson(defaults, 'LECTERN_DEFAULTS') : {}, fromFile);
    for (const { path, value } of settings) setAt(values as object, path, value);
    values = merged(values, flags);
  }
  const sourceOf = (path: readonly PropertyKey[]) => {
    if (path.length > 0 && valueAt(flags, path) !== undefined) return 'flags';
    const variable = settings.findLast((given) => given.path.every((key, index) => key === path[index]));
    if (variable) return variable.name;
    if (file !== undefined && (valueAt(fromFile, path) !== undefined || !defaults)) return file;
    return defaults ? 'LECTERN_DEFAULTS' : 'settings';
  };
  return check(configSchema, values, sourceOf);
}

/** The config that is in force if nothing is set. */
export function defaultConfig(): Config {
  return configSchema.parse({});
}

/** Settings that name a file or a folder, unless they hold a URL. */
const pathSettings = ['extend', 'uploads', 'cacheDir'];

/** Paths in a config file are relative to its folder. */
function withPathsFrom(folder: string, settings: unknown): unknown {
  if (!isPlainObject(settings)) return settings;
  const resolved = { ...settings };
  for (const name of pathSettings) {
    const path = settings[name];
    if (typeof path === 'string' && path !== '' && !path.includes('://')) resolved[name] = resolve(folder, path);
  }
  return resolved;
}

function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${path}: cannot be read: ${(error as Error).message}`);
  }
  return parseJson(text.replace(/^\uFEFF/, ''), path);
}

function parseJson(text: string, source: string): unknown {
  const { value, faults } = readStrictJson(text, true);
  if (faults.length === 0) return value;
  throw new ConfigError(
    faults.map(({ message, line, column }) => `${source}:${line}:${column}: ${message}`).join('\n'),
  );
}

/** The options of `open`, checked, with the defaults filled in. Throws a ConfigError. */
export function readOptions(options: OpenOptions = {}): Settings {
  return check(optionsSchema, options, () => 'options');
}

/** The options of `open` in a config. */
export function openOptions(config: Config): OpenOptions {
  return Object.fromEntries(Object.entries(config).filter(([key]) => key in optionFields));
}

function check<T extends z.ZodType>(
  schema: T,
  value: unknown,
  sourceOf: (path: readonly PropertyKey[]) => string,
): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => {
    const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [];
    const path = key === undefined ? issue.path : [...issue.path, key];
    return `${sourceOf(path)}: ${describeProblem(issue, value, schema)}`;
  });
  throw new ConfigError(lines.join('\n'));
}
