import { join } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import type { DialectName } from '../core/dialect.ts';
import { readProjectApiSettings } from '../load/project/api-settings.ts';
import { isStrapiProject } from '../load/project/project-folder.ts';
import { dialectNames } from '../model/settings/config.ts';
import { isHttpOrigin, isPlainHttpUrl } from '../model/settings/media.ts';
import { readSources, type SourcedConfig, type Sources } from '../model/settings/read-config.ts';
import { type LogLevel, logLevels } from '../model/settings/server.ts';

/** The flags of a command line. A flag with the name of a setting sets it. */
export interface Flags {
  /** The setting `cacheDir`. */
  cache?: string;
  config?: string;
  dialect?: DialectName;
  strict?: boolean;
  lenient?: boolean;
  mediaUrl?: string;
  uploadsOrigins?: string[];
  public?: boolean;
  extend?: string;
  uploads?: string | boolean;
  upstream?: string;
  watch?: boolean;
  /** The setting `follow.enabled`. */
  follow?: boolean;
  host?: string;
  port?: number;
  adminHost?: string;
  adminPort?: number;
  logLevel?: LogLevel;
  cacheTags?: boolean;
  drafts?: boolean;
  journal?: string;
  threads?: number | 'auto';
}

/** The environment variable with the API token of a Strapi. */
export const sourceTokenVariable = 'LECTERN_SOURCE_TOKEN';

/** Creates the options, because each command needs its own instances. */
export const flags = {
  config: () => new Option('--config <file>', 'config file in JSON (env: LECTERN_CONFIG)'),
  dialect: () =>
    new Option('--dialect <name>', 'follow the specification or a recorded Strapi where they differ').choices(
      dialectNames,
    ),
  public: () => new Option('--public', 'for development: everyone may read every content type'),
  extend: () => new Option('--extend <file>', 'module with query hooks and custom routes (.js, .mjs, .ts)'),
  strict: () =>
    new Option('--strict', 'mistakes that Strapi tolerates are errors (default for JSON snapshots)').conflicts(
      'lenient',
    ),
  lenient: () => new Option('--lenient', 'mistakes that Strapi tolerates are warnings (default for Strapi exports)'),
  json: () => new Option('--json', 'print the result as JSON'),
  mediaUrl: () =>
    new Option('--media-url <url>', 'prefix for addresses of files, such as /uploads/a.png').argParser(readHttpUrl),
  uploadsOrigins: () =>
    new Option(
      '--uploads-origins <origins>',
      'origins that are left out of addresses of files in texts, with commas between them',
    ).argParser(readOrigins),
  upstream: () =>
    new Option('--upstream <url>', 'Strapi to which requests that do not read content are forwarded').argParser(
      readHttpUrl,
    ),
  uploads: () =>
    new Option('--uploads <folder|url>', 'source of the files at /uploads (the snapshot)').argParser(readNonEmpty),
  noUploads: () => new Option('--no-uploads', 'serve nothing at /uploads'),
  cache: () =>
    new Option('--cache <folder>', 'folder for the unpacked files of an archive (in the temporary folder)').argParser(
      readNonEmpty,
    ),
  watch: () => new Option('--watch', 'load the snapshot again when it changes'),
  follow: () => new Option('--follow', 'serve the changes of a Strapi at an address as it makes them'),
  noFollow: () => new Option('--no-follow', 'serve the folder of a Strapi project as it is now'),
  token: () =>
    new Option(
      '--token <token>',
      `API token for a Strapi at an address (env: ${sourceTokenVariable}, which other users do not see)`,
    ).argParser(readNonEmpty),
  types: () =>
    new Option(
      '--types <export|project>',
      'content types of a Strapi at an address whose token may not read them',
    ).argParser(readNonEmpty),
  host: () => new Option('--host <address>', 'address to listen on (127.0.0.1)').argParser(readNonEmpty),
  port: () => new Option('--port <number>', 'port to listen on (1337)').argParser(readPort),
  adminHost: () =>
    new Option('--admin-host <address>', 'address of the admin port (127.0.0.1)').argParser(readNonEmpty),
  adminPort: () =>
    new Option('--admin-port <number>', 'separate port for /_health, /_ready and /_metrics').argParser(readPort),
  url: () => new Option('--url <url>', 'URL of the admin port').argParser(readHttpUrl).default('http://127.0.0.1:1339'),
  journal: () =>
    new Option('--journal <file>', 'file that keeps changes to the content over a restart').argParser(readNonEmpty),
  drafts: () => new Option('--drafts', 'show every document in the state of its draft, for previews'),
  cacheTags: () => new Option('--cache-tags', 'send tags that name what a reply depends on, for CDNs'),
  threads: () =>
    new Option('--threads <number|auto>', 'threads that answer requests, on Node 22.12 or later (1)').argParser(
      readThreads,
    ),
  logLevel: () => new Option('--log-level <level>', 'lowest level that is logged (info)').choices(logLevels),
};

/** The end of the help of the program. */
export const settingsHelp = `
A flag overrides an environment variable, which overrides the config file.
Each setting has an environment variable: LECTERN_ and its path in capitals, with
underscores between words. Lists use commas, nested values use JSON:
  LECTERN_MAX_LIMIT=200  LECTERN_BUDGETS_STEPS=5000000
  LECTERN_CORS_ORIGINS=https://a.example,https://b.example
  LECTERN_TOKENS='[{"name": "site", "sha256": "…", "type": "read-only"}]'
PORT, HOST, ADMIN_PORT, LOG_LEVEL and JWT_SECRET also work without the prefix.`;

/** Reads the config from flags, environment and config file. Throws a ConfigError. */
export function readSettings(
  given: Flags,
  environment = process.env,
  content: Sources['content'] = undefined,
): SourcedConfig {
  const { config, logLevel, cache, strict, lenient, follow, ...settings } = given;
  const tolerance = strict ? 'strict' : lenient ? 'tolerant' : undefined;
  const file = config ?? (environment.LECTERN_CONFIG || undefined);
  const values = { ...settings, tolerance, cacheDir: cache, log: { level: logLevel }, follow: { enabled: follow } };
  return readSources({ file, environment, flags: values, content });
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
  return port;
}

function readThreads(text: string): number | 'auto' {
  if (text === 'auto') return text;
  const threads = Number(text);
  if (!/^\d+$/.test(text) || threads < 1 || threads > 256) {
    throw new InvalidArgumentError('It must be a whole number from 1 to 256, or auto.');
  }
  return threads;
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

function readHttpUrl(text: string): string {
  if (!isPlainHttpUrl(text))
    throw new InvalidArgumentError('It must be a URL such as https://example.org, without a query.');
  return text;
}

function readOrigins(text: string): string[] {
  const origins = text.split(',');
  if (!origins.every(isHttpOrigin)) {
    throw new InvalidArgumentError('It must be origins such as http://localhost:1337, without a path.');
  }
  return origins;
}

/** Rejects empty text: Node takes an empty host as all addresses, and an empty path as the working directory. */
function readNonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

/**
 * Reads the settings as `readSettings` does. If there is one snapshot and it is the folder of a Strapi project, what its
 * configuration says about the API counts where no other source does. Rejects with a ConfigError or a SnapshotError.
 */
export async function readSnapshotSettings(snapshots: readonly string[], given: Flags): Promise<SourcedConfig> {
  const [folder] = snapshots;
  if (snapshots.length > 1 || !(await isStrapiProject(folder))) return readSettings(given);
  const content = { place: join(folder, 'config/api'), settings: await readProjectApiSettings(folder) };
  return readSettings(given, process.env, content);
}
