/** The folder of a Strapi project, with the components, which its database does not hold. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SnapshotError, SourceAwayError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import type { SnapshotWarning } from '../../core/problems.ts';
import type { SignInSecrets } from '../../model/access/definitions.ts';
import type { DatabaseLocation } from '../database/location.ts';
import { configuredUnlessComputed, readConfigurations, readProjectEnvironment } from './configuration.ts';
import { databaseLocationOf } from './database-location.ts';
import { readApiSettings, readSignInSecrets } from './project-settings.ts';

/** What a project says about its content. */
export interface StrapiProject {
  /** Names the project in messages: its folder, or its database if there is no folder. */
  readonly folder: string;
  /** The version of Strapi that is installed or, without node_modules, that package.json names. Null if it is a tag. */
  readonly strapiVersion: string | null;
  readonly database: DatabaseLocation;
  /** The configuration files that export something, such as `config/api`. */
  readonly configurations: readonly string[];
  readonly components: readonly ComponentFile[];
  /** The attributes that are private in every type that has them. */
  readonly privateAttributes: readonly string[];
  /** The folder of uploaded files. Null if the folder of the project is not there. */
  readonly uploads: string | null;
  readonly secrets: SignInSecrets;
  /** What is not read of the configuration. */
  readonly warnings: readonly SnapshotWarning[];
}

const strapiPackage = '@strapi/strapi';

/** Whether a folder is a Strapi project: its package.json depends on Strapi. */
export async function isStrapiProject(folder: string): Promise<boolean> {
  return (await strapiDependency(folder)) !== null;
}

/** Reads the files of a project. Throws a SnapshotError if they name no database of Strapi 5 that can be read. */
export async function readStrapiProject(
  folder: string,
  ofProcess: Readonly<Record<string, string | undefined>> = process.env,
  database?: DatabaseLocation,
): Promise<StrapiProject> {
  if (!existsSync(folder)) throw new SourceAwayError([`${folder}: the folder of the project is gone`]);
  const strapiVersion = await strapiVersionOf(folder);
  if (strapiVersion !== null && Number.parseInt(strapiVersion, 10) < 5) {
    throw new SnapshotError([
      `${folder}: the project uses Strapi ${strapiVersion}; only the database of Strapi 5 is read; write an export with "strapi export --no-encrypt"`,
    ]);
  }
  const variables = await readProjectEnvironment(folder, ofProcess);
  const { secrets, warnings } = readSignInSecrets(folder, variables);
  return {
    folder,
    strapiVersion,
    database: database ?? databaseLocationOf(folder, variables),
    configurations: readConfigurations(folder, variables),
    components: readComponentFiles(folder),
    privateAttributes: readPrivateAttributes(folder, variables),
    uploads: join(publicFolderOf(folder, variables), 'uploads'),
    secrets,
    warnings: [...warnings, ...readApiSettings(folder, variables).warnings],
  };
}

async function strapiVersionOf(folder: string): Promise<string | null> {
  const installed = await readJsonFile(join(folder, 'node_modules', strapiPackage, 'package.json'));
  const version = installed?.version ?? (await strapiDependency(folder));
  return /\d+\.\d+\.\d+[\w.+-]*/.exec(String(version))?.[0] ?? null;
}

/** Returns the version of Strapi that a project depends on, as it is written, or null. */
async function strapiDependency(folder: string): Promise<string | null> {
  const { dependencies, devDependencies } = (await readJsonFile(join(folder, 'package.json'))) ?? {};
  for (const list of [dependencies, devDependencies]) {
    if (isPlainObject(list) && Object.hasOwn(list, strapiPackage)) return String(list[strapiPackage]);
  }
  return null;
}

/** Returns the folder that Strapi serves files from. Code that computes it is ignored. */
function publicFolderOf(folder: string, variables: ReadonlyMap<string, string>): string {
  const path = configuredUnlessComputed(folder, 'server', ['dirs', 'public'], variables, () => 'public');
  return resolve(folder, typeof path === 'string' ? path : 'public');
}

/** Returns the object in a JSON file. Null if there is none. */
async function readJsonFile(path: string): Promise<Record<string, unknown> | null> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isPlainObject(value) ? value : null;
  } catch (error) {
    // a snapshot may be a file, which holds no other
    const isMissing = ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (error instanceof SyntaxError || isMissing) return null;
    throw error;
  }
}

const path = ['responses', 'privateAttributes'];
const remedy = 'so it is not known what is private; write it as a list of names';

/**
 * Returns the names in `responses.privateAttributes` of `config/api`, which is not run. Throws a SnapshotError if the
 * code computes them, because content would be served that Strapi hides.
 */
export function readPrivateAttributes(project: string, variables: ReadonlyMap<string, string>): string[] {
  const names = configuredUnlessComputed(project, 'api', path, variables, (place, reason) => {
    throw new SnapshotError([`${project}: ${place}: ${path.join('.')} cannot be read (${reason}), ${remedy}`]);
  });
  const value = names ?? [];
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value;
  throw new SnapshotError([`${project}: config/api: ${path.join('.')} is not a list of names, ${remedy}`]);
}

/** The definition of a component as its file has it. */
export interface ComponentFile {
  /** `category.name`. */
  readonly uid: string;
  readonly name: string;
  readonly path: string;
  /** Null if the file has a `problem`. */
  readonly definition: Record<string, unknown> | null;
  readonly problem: string | null;
}

/**
 * Returns the components that Strapi runs: those of `dist/src/components` in a TypeScript project, and otherwise those of
 * `src/components`. Where the folder is missing, the other one is read. They are in the order in which Strapi loads them, so
 * that an export has the same.
 */
export function readComponentFiles(project: string): ComponentFile[] {
  const [written, compiled] = [join(project, 'src', 'components'), join(project, 'dist', 'src', 'components')];
  const isTypeScript = existsSync(join(project, 'tsconfig.json'));
  const folder = (isTypeScript ? [compiled, written] : [written, compiled]).find(existsSync);
  if (folder === undefined) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  const categories = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return descending(categories).flatMap((category) =>
    descending(readdirSync(join(folder, category)))
      .filter((file) => file.endsWith('.json'))
      .map((file) => readComponentFile(join(folder, category, file), category, file.slice(0, -'.json'.length))),
  );
}

function readComponentFile(path: string, category: string, name: string): ComponentFile {
  const file = { uid: `${category}.${name}`, name, path };
  try {
    const definition: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isPlainObject(definition)) return { ...file, definition, problem: null };
    return { ...file, definition: null, problem: 'expected an object' };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { ...file, definition: null, problem: `is not JSON: ${error.message}` };
  }
}

function descending(names: readonly string[]): string[] {
  return names.toSorted().reverse();
}
