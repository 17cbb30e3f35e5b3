/** Reads settings from the config file, the environment and flags, or from the options of `open`. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import { describeProblem, valueAt } from '../../core/describe-problem.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { formatNumber, maxListedProblems, type SnapshotWarning, warning } from '../../core/problems.ts';
import { readStrictJson } from '../../core/strict-json.ts';
import { type Config, ConfigError, configSchema, type OpenOptions, optionsSchema, type Settings } from './config.ts';
import type { SourceOf } from './setting-problems.ts';
import { readVariables, variablesOf } from './variables.ts';

const variables = variablesOf(configSchema);

/** The sources of settings. Precedence: flags, environment variables, config file, LECTERN_DEFAULTS, content. */
export interface Sources {
  /** The path of a config file. */
  readonly file?: string;
  /** LECTERN_… variables, one per setting, and LECTERN_DEFAULTS, a JSON object in the form of a config file. */
  readonly environment?: NodeJS.ProcessEnv;
  /** In the form of a config file. */
  readonly flags?: object;
  /** What the content says. Its limits of pages count only if no other source has one of them. */
  readonly content?: { readonly place: string; readonly settings: object };
}

/** Settings that have to fit each other. */
const pageLimits = ['defaultLimit', 'maxLimit'];

/** Settings, and where each was given. */
export interface SourcedConfig {
  readonly config: Config;
  readonly sourceOf: SourceOf;
}

/** Returns the effective settings. Throws a ConfigError that names the source, the setting and the value. */
export function readConfig(sources: Sources): Config {
  return readSources(sources).config;
}

/** Returns the effective settings with their sources. Throws a ConfigError as `readConfig` does. */
export function readSources({ file, environment = {}, flags = {}, content }: Sources): SourcedConfig {
  const { LECTERN_DEFAULTS: defaults } = environment;
  const { settings, problems } = readVariables(variables, environment);
  const fromFile = file === undefined ? {} : resolvePaths(dirname(file), readConfigFile(file));
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  let values: unknown = fromFile;
  if (isPlainObject(fromFile)) {
    values = merge(defaults ? parseJson(defaults, 'LECTERN_DEFAULTS') : {}, fromFile);
    for (const { path, value } of settings) setAt(values as object, path, value);
    values = merge(values, flags);
  }
  const ofContent = content && isPlainObject(values) ? withoutLimitsBeside(values, content.settings) : {};
  const given = values;
  const sourceOf: SourceOf = (path) => {
    if (path.length > 0 && valueAt(flags, path) !== undefined) return 'flags';
    const variable = settings.findLast((given) => given.path.every((key, index) => key === path[index]));
    if (variable) return variable.name;
    if (content && valueAt(given, path) === undefined && valueAt(ofContent, path) !== undefined) return content.place;
    if (file !== undefined && (valueAt(fromFile, path) !== undefined || !defaults)) return file;
    return defaults ? 'LECTERN_DEFAULTS' : 'settings';
  };
  return { config: validate(configSchema, merge(ofContent, given), sourceOf), sourceOf };
}

/** Returns the settings of the content that have a place beside others. */
function withoutLimitsBeside(others: Record<string, unknown>, settings: object): object {
  if (pageLimits.every((name) => others[name] === undefined)) return settings;
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !pageLimits.includes(name)));
}

/** Settings whose values are paths, or in some cases URLs or booleans. */
const pathSettings = [
  ['extend'],
  ['uploads'],
  ['cacheDir'],
  ['images'],
  ['publish', 'images'],
  ['journal'],
  ['contents', 'folder'],
];

/** Resolves the paths of a config file relative to its folder. */
function resolvePaths(folder: string, settings: unknown): unknown {
  if (!isPlainObject(settings)) return settings;
  const resolved = structuredClone(settings);
  for (const setting of pathSettings) {
    const path = valueAt(settings, setting);
    if (typeof path === 'string' && path !== '' && !path.includes('://'))
      setAt(resolved, setting, resolve(folder, path));
  }
  return resolved;
}

function readConfigFile(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${path}: cannot be read: ${(error as Error).message}`);
  }
  return parseJson(text.replace(/^\uFEFF/, ''), path);
}

function parseJson(text: string, source: string): unknown {
  const { value, faults } = readStrictJson(text, { mayHoldSecrets: true });
  if (faults.length === 0) return value;
  throw new ConfigError(
    faults.map(({ message, line, column }) => `${source}:${line}:${column}: ${message}`).join('\n'),
  );
}

/** Validates the options of `open` and fills in the defaults. Throws a ConfigError. */
export function readOptions(options: OpenOptions = {}): Settings {
  return validate(optionsSchema, options, () => 'options');
}

/** Returns the settings with defaults. Throws a ConfigError; `sourceOf` names the source of the value at a path. */
export function validate<T extends z.ZodType>(schema: T, value: unknown, sourceOf: SourceOf): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { issues } = result.error;
  const lines = issues.slice(0, maxListedProblems).map((issue) => {
    const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [];
    const path = key === undefined ? issue.path : [...issue.path, key];
    return `${sourceOf(path)}: ${describeProblem(issue, value, schema)}`;
  });
  if (issues.length > lines.length) lines.push(`… and ${formatNumber(issues.length - lines.length)} more problems`);
  throw new ConfigError(lines.join('\n'));
}

/** Sets the value at a path of at least one key. Creates missing objects, and replaces other values, along the path. */
export function setAt(root: object, path: readonly string[], value: unknown): void {
  let parent = root as Record<string, unknown>;
  for (const key of path.slice(0, -1)) {
    const child = parent[key];
    parent = (parent[key] = isPlainObject(child) ? child : {}) as Record<string, unknown>;
  }
  parent[path.at(-1)!] = value;
}

/** Returns a copy of `base` in which the values of `overrides` replace those of `base`. Only objects are merged. */
function merge(base: unknown, overrides: unknown): unknown {
  if (overrides === undefined) return base;
  if (!isPlainObject(overrides)) return overrides;
  const result = new Map<string, unknown>(isPlainObject(base) ? Object.entries(base) : []);
  for (const [key, value] of Object.entries(overrides)) result.set(key, merge(result.get(key), value));
  return Object.fromEntries(result);
}

/** Returns a warning for each server setting that is valid but has no effect. */
export function serverWarnings(config: Pick<Config, 'cors' | 'admin' | 'adminPort' | 'journal'>): SnapshotWarning[] {
  const messages = [...originWarnings(config.cors), ...adminWarnings(config)];
  return messages.map((message) => warning('wrong-setting', message));
}

function originWarnings({ origins }: Config['cors']): string[] {
  return origins.flatMap((origin, index) => {
    const reason = originProblem(origin);
    return reason === null ? [] : [`cors.origins[${index}]: "${origin}" matches no site: ${reason}`];
  });
}

function adminWarnings({ admin, adminPort, journal }: Pick<Config, 'admin' | 'adminPort' | 'journal'>): string[] {
  if (adminPort !== undefined) return [];
  return [
    ...(admin.tokens.length === 0
      ? []
      : ['admin.tokens: there is no admin port on which they could be sent: set adminPort']),
    ...(journal === undefined ? [] : ['journal: there is no admin port that takes changes: set adminPort']),
  ];
}

/** Returns why no browser sends this text as its Origin, or null. */
function originProblem(origin: string): string | null {
  if (origin === '*') return null;
  if (origin.includes('*')) return 'a name cannot contain wildcards; use "*" alone for all sites';
  if (!/^https?:/i.test(origin)) return null;
  if (!URL.canParse(origin)) return 'it is not a URL';
  const sent = new URL(origin).origin;
  return sent === origin ? null : `browsers send "${sent}"`;
}
