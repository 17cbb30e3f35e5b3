import { Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { describeRule } from '../core/describe-problem.ts';
import { configSchema } from '../model/settings/config.ts';
import { httpUrl } from '../model/settings/media.ts';
import { setAt } from '../model/settings/read-config.ts';
import { parseValue, variablesOf } from '../model/settings/variables.ts';

/** The environment variable with the API token of a Strapi. */
export const sourceTokenVariable = 'LECTERN_SOURCE_TOKEN';

/** The given flags, by the names that Commander derives from their forms: `--media-url` is `mediaUrl`. */
export interface Flags {
  readonly config?: string;
  readonly [name: string]: unknown;
}

interface Flag {
  readonly form: string;
  readonly help: string;
  /** Reads and checks the value. Default: the schema of the setting. */
  readonly schema?: z.ZodType;
  /** The name of a flag that may not be given with this one. */
  readonly conflicts?: string;
}

interface SettingFlag extends Flag {
  /** The path of the setting, with dots. Default: the name of the flag. */
  readonly setting?: string;
  /** The value that the flag sets, if it takes none. Default: true, or false for `--no-…`. */
  readonly value?: string;
}

/** The flags that set a setting, by name. */
const settingFlags = {
  dialect: { form: '--dialect <name>', help: 'follow the specification or a recorded Strapi where they differ' },
  public: { form: '--public', help: 'for development: everyone may read every content type' },
  extend: { form: '--extend <file>', help: 'module with query hooks and custom routes (.js, .mjs, .ts)' },
  strict: {
    form: '--strict',
    help: 'mistakes that Strapi tolerates are errors (default for JSON snapshots)',
    setting: 'tolerance',
    value: 'strict',
    conflicts: 'lenient',
  },
  lenient: {
    form: '--lenient',
    help: 'mistakes that Strapi tolerates are warnings (default for Strapi exports)',
    setting: 'tolerance',
    value: 'tolerant',
  },
  mediaUrl: { form: '--media-url <url>', help: 'prefix for addresses of files, such as /uploads/a.png' },
  uploadsOrigins: {
    form: '--uploads-origins <origins>',
    help: 'origins that are left out of addresses of files in texts, with commas between them',
  },
  upstream: { form: '--upstream <url>', help: 'Strapi to which requests that do not read content are forwarded' },
  uploads: {
    form: '--uploads <folder|url>',
    help: 'source of the files at /uploads (the snapshot)',
    // a folder may have the name "true"
    schema: z.string(),
  },
  noUploads: { form: '--no-uploads', help: 'serve nothing at /uploads' },
  cache: {
    form: '--cache <folder>',
    help: 'folder for the unpacked files of an archive (in the temporary folder)',
    setting: 'cacheDir',
  },
  watch: { form: '--watch', help: 'load the snapshot again when it changes' },
  follow: {
    form: '--follow',
    help: 'serve the changes of a Strapi at an address as it makes them',
    setting: 'follow.enabled',
  },
  noFollow: { form: '--no-follow', help: 'serve the folder of a Strapi project as it is now' },
  host: { form: '--host <address>', help: 'address to listen on (127.0.0.1)' },
  port: { form: '--port <number>', help: 'port to listen on (1337)' },
  adminHost: { form: '--admin-host <address>', help: 'address of the admin port (127.0.0.1)' },
  adminPort: { form: '--admin-port <number>', help: 'separate port for /_health, /_ready and /_metrics' },
  journal: { form: '--journal <file>', help: 'file that keeps changes to the content over a restart' },
  drafts: { form: '--drafts', help: 'show every document in the state of its draft, for previews' },
  cacheTags: { form: '--cache-tags', help: 'send tags that name what a reply depends on, for CDNs' },
  threads: { form: '--threads <number|auto>', help: 'threads that answer requests, on Node 22.12 or later (1)' },
  logLevel: { form: '--log-level <level>', help: 'lowest level that is logged (info)', setting: 'log.level' },
} satisfies Record<string, SettingFlag>;

const otherFlags = {
  config: { form: '--config <file>', help: 'config file in JSON (env: LECTERN_CONFIG)', schema: z.string() },
  json: { form: '--json', help: 'print the result as JSON' },
  token: {
    form: '--token <token>',
    help: `API token for a Strapi at an address (env: ${sourceTokenVariable}, which other users do not see)`,
    schema: z.string(),
  },
  name: {
    form: '--name <name>',
    help: 'name under which a publisher publishes, for the address of a publication',
    schema: z.string(),
  },
  database: { form: '--database', help: 'serve the database at the address in the environment variable DATABASE_URL' },
  types: {
    form: '--types <project|export|url>',
    help: 'components of a database, or content types of a Strapi at an address whose token may not read them',
    schema: z.string(),
  },
} satisfies Record<string, Flag>;

const allFlags: Readonly<Record<string, SettingFlag>> = { ...settingFlags, ...otherFlags };
export type FlagName = keyof typeof settingFlags | keyof typeof otherFlags;

/** The flags of all commands that load a snapshot. */
export const loadFlags = ['config', 'dialect', 'strict', 'lenient', 'mediaUrl', 'uploadsOrigins'] as const;

/** A command that can have the flags above. */
export class LecternCommand extends Command {
  override createCommand(name?: string): LecternCommand {
    return new LecternCommand(name);
  }

  flags(...names: readonly FlagName[]): this {
    for (const name of names) this.addOption(createOption(name));
    return this;
  }
}

/** Returns the settings that flags set, in the form of a config file. */
export function settingsOfFlags(flags: Flags): object {
  const settings = {};
  for (const [name, { setting = name, value }] of Object.entries<SettingFlag>(settingFlags)) {
    const given = flags[name];
    if (given !== undefined) setAt(settings, setting.split('.'), value ?? given);
  }
  return settings;
}

function createOption(name: FlagName): Option {
  const { form, help, schema = schemaOf(name), conflicts } = allFlags[name];
  const option = new Option(form, help);
  if (conflicts !== undefined) option.conflicts(conflicts);
  if (!option.required) return option;
  return schema instanceof z.ZodEnum
    ? option.choices(schema.options as string[])
    : option.argParser((text) => readValue(schema, text));
}

function schemaOf(name: FlagName): z.ZodType {
  const { setting = name } = allFlags[name];
  return schemas.get(setting)!;
}

const schemas = new Map(variablesOf(configSchema).map(({ path, schema }) => [path.join('.'), schema as z.ZodType]));

/** Parses the value of a flag in the same way as an environment variable. */
function readValue(schema: z.ZodType, text: string): unknown {
  // Node takes an empty host as all addresses, and an empty path as the working directory
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  const result = schema.safeParse(parseValue(schema, text));
  if (!result.success) throw new InvalidArgumentError(`It ${describeRule(result.error.issues[0])}.`);
  return result.data;
}

export function readUrl(text: string): string {
  return readValue(httpUrl, text) as string;
}

/** Reads the number of lines to print. */
export function readLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(limit)) throw new InvalidArgumentError('It must be a whole number.');
  return limit;
}

/** Reads a number of at least 1. */
export function readCount(text: string): number {
  const count = readLimit(text);
  if (count === 0) throw new InvalidArgumentError('It must be at least 1.');
  return count;
}
