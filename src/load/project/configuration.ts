/** The configuration and the environment of a Strapi project. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parse } from 'dotenv';
import { SnapshotError } from '../../core/errors.ts';
import { type CodeContext, configurationValue } from './configuration-value.ts';
import { NotConstantError } from './source/scope.ts';
import { SourceFiles } from './source/source-file.ts';

/** The file of a configuration, and the folder that it has when Strapi runs it. */
interface ConfigurationFile {
  readonly path: string;
  readonly folder: string;
}

/**
 * Returns a value of the configuration file of a name, as `configured` does, or what `unread` returns if its code computes
 * the value in a way that is not known. `unread` gets the place of that code, and why.
 */
export function configuredUnlessComputed<Unread>(
  project: string,
  name: string,
  path: readonly string[],
  variables: ReadonlyMap<string, string>,
  unread: (place: string, reason: string) => Unread,
): unknown {
  try {
    return configured(project, name, path, variables);
  } catch (error) {
    if (!(error instanceof NotConstantError)) throw error;
    const { file, node, message } = error;
    return unread(`${file.name}:${node.loc.start.line}`, message);
  }
}

/**
 * Returns a value of the configuration file of a name, or undefined. Files in `config/env/<NODE_ENV>` take precedence.
 * Throws a NotConstantError if its code computes the value.
 */
export function configured(
  project: string,
  name: string,
  path: readonly string[],
  variables: ReadonlyMap<string, string>,
): unknown {
  for (const folder of foldersOf(variables)) {
    const found = findFile(project, join(folder, name));
    if (!found) continue;
    const context: CodeContext = { variables, folder: resolve(found.folder), project: resolve(project) };
    const value = valueIn(project, found, path, context);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The configuration files that are read. */
const names = ['admin', 'api', 'database', 'plugins', 'server'];

/** Returns the configuration files that export something, such as `config/api`. */
export function readConfigurations(project: string, variables: ReadonlyMap<string, string>): string[] {
  const places = foldersOf(variables).flatMap((folder) => names.map((name) => join('config', folder, name)));
  return places.filter((place) => exportsSomething(project, place));
}

/** Whether a configuration file such as `config/api` is there and exports something. */
export function exportsSomething(project: string, place: string): boolean {
  const found = findFile(project, relative('config', place));
  if (!found) return false;
  const files = new SourceFiles(project);
  if (found.path.endsWith('.json')) return files.readJson(found.path) !== null;
  const source = files.open(found.path);
  // what cannot be parsed is rejected when its values are read
  return source === null || source.exported() !== null;
}

/** The folders of configuration files, in `config`. The first that gives a value counts. */
function foldersOf(variables: ReadonlyMap<string, string>): string[] {
  return [`env/${variables.get('NODE_ENV') || 'development'}`, '.'];
}

function valueIn(project: string, { path: file }: ConfigurationFile, path: readonly string[], context: CodeContext) {
  const files = new SourceFiles(project);
  if (file.endsWith('.json')) {
    const read = (value: unknown, key: string) => (value as Record<string, unknown> | null | undefined)?.[key];
    return path.reduce(read, files.readJson(file));
  }
  const source = files.open(file);
  const [finding] = files.findings;
  if (finding) throw new SnapshotError([`${join(project, finding.file)}:${finding.line}: ${finding.message}`]);
  return source ? configurationValue(source, path, context) : undefined;
}

/** TypeScript runs in `dist`, so its paths are relative to there. Without sources, the compiled file is read. */
function findFile(project: string, name: string): ConfigurationFile | null {
  const [source, compiled] = [join(project, 'config', name), join(project, 'dist', 'config', name)];
  const candidates = [
    { path: `${source}.ts`, folder: join(compiled, '..') },
    { path: `${source}.js`, folder: join(source, '..') },
    { path: `${source}.json`, folder: join(source, '..') },
    { path: `${compiled}.js`, folder: join(compiled, '..') },
    { path: `${compiled}.json`, folder: join(compiled, '..') },
  ];
  return candidates.find(({ path }) => existsSync(path)) ?? null;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the variables as Strapi reads them at its start in `folder`. Variables of the process take precedence over
 * the file `.env`, or over the file that the variable `ENV_PATH` names. A missing file counts as empty.
 */
export async function readProjectEnvironment(
  folder: string,
  ofProcess: Variables = process.env,
): Promise<ReadonlyMap<string, string>> {
  const written = await readIfPresent(resolve(folder, ofProcess.ENV_PATH ?? '.env'));
  const variables = new Map(Object.entries(parse(written)));
  for (const [name, value] of Object.entries(ofProcess)) {
    if (value !== undefined) variables.set(name, value);
  }
  return variables;
}

async function readIfPresent(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
