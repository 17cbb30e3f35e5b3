/** The packages of a Strapi: installed once in a folder, and linked into the projects that run on them. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './processes.ts';

/** The packages of a Strapi 5 with its drivers of databases, and the version that commands install by themselves. */
const strapi5 = fileURLToPath(new URL('project/package.json', import.meta.url));

/** Returns a package file with another version of all packages of Strapi. */
function withVersion(packageFile: string, version: string): string {
  return readFileSync(packageFile, 'utf8').replace(/("@strapi\/[\w-]+": ")[^"]+/g, `$1${version}`);
}

/** Installs Strapi in a folder, unless the same packages have been installed there before. */
export async function installStrapi(folder: string, packageFile = strapi5, version: string | null = null) {
  mkdirSync(folder, { recursive: true });
  const wanted = version === null ? readFileSync(packageFile, 'utf8') : withVersion(packageFile, version);
  const installed = join(folder, 'package.json');
  const mark = join(folder, 'node_modules', '.installed');
  if (existsSync(mark) && existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return;
  console.log(`Installing Strapi in ${folder}: some 700 MB, a few minutes`);
  rmSync(mark, { force: true });
  writeFileSync(installed, wanted);
  // only better-sqlite3 needs its install script: what else Strapi runs on comes ready-made
  // `npm run --silent` would silence this npm, too
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=notice'];
  await run({ program: 'npm', args, cwd: folder, log: join(folder, 'install.log') });
  writeFileSync(mark, '');
}

/**
 * Compiles better-sqlite3 in a folder that Strapi is installed in, unless it is compiled. npm brings node-gyp, which
 * downloads Node's headers, or takes those of `nodedir` in npm's configuration.
 */
export async function compileSqlite(folder: string): Promise<void> {
  const cwd = join(folder, 'node_modules', 'better-sqlite3');
  if (existsSync(join(cwd, 'build', 'Release', 'better_sqlite3.node'))) return;
  console.log('Compiling better-sqlite3, a few minutes');
  await run({ program: 'npm', args: ['run', 'build-release'], cwd, log: join(folder, 'compile.log') });
}

/** Returns the version of Strapi in the node_modules of a folder. */
export function installedVersion(folder: string): string {
  const file = join(folder, 'node_modules', '@strapi', 'strapi', 'package.json');
  if (!existsSync(file)) throw new Error(`${resolve(folder)} has no Strapi: ${file} is missing`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** Makes the node_modules of a project those of the folder in which Strapi is installed. */
export function linkModules(project: string, installed: string): void {
  installedVersion(installed);
  const modules = join(project, 'node_modules');
  rmSync(modules, { recursive: true, force: true });
  symlinkSync(join(resolve(installed), 'node_modules'), modules);
}

/** Returns the text of the package file of a project, with the version that its node_modules have. */
export function packageOf(project: string, packageFile = strapi5): string {
  return withVersion(packageFile, installedVersion(project));
}
