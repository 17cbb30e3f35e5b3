/**
 * Installs a Strapi for the steps of a night:
 *
 *     npx tsx test/nightly/install.ts DIR [VERSION]
 *
 * The default is the newest Strapi 5 on npm of which all packages are there. While a version is being published, some are
 * missing.
 */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { compileSqlite, installStrapi } from '../strapi/installed.ts';
import { newestVersions } from './newest.ts';

const [folder, given] = process.argv.slice(2);
if (folder === undefined || (given !== undefined && !/^\d+\.\d+\.\d+$/.test(given))) {
  console.error(`install.ts takes a folder and a version such as 5.54.0, not "${process.argv.slice(2).join(' ')}"`);
  process.exit(2);
}

const missing: string[] = [];
for (const version of given === undefined ? await newestOnNpm() : [given]) {
  try {
    await installStrapi(resolve(folder), undefined, version);
  } catch (error) {
    const [, name] = /No matching version found for (@strapi\/[\w-]+@[\d.]*\d)/.exec((error as Error).message) ?? [];
    if (name === undefined) throw error;
    console.log(`${version} is incomplete: npm has no ${name}`);
    missing.push(name);
    continue;
  }
  await compileSqlite(resolve(folder));
  const newer =
    missing.length === 0 ? '' : `; npm does not have all packages of newer versions: no ${missing.join(', ')}`;
  console.log(`Strapi ${version} is installed${newer}`);
  process.exit(0);
}
console.error(`npm has no complete Strapi: no ${missing.join(', ')}`);
process.exit(1);

async function newestOnNpm(): Promise<string[]> {
  const view = (field: string) =>
    JSON.parse(execFileSync('npm', ['view', '@strapi/strapi', field, '--json'], { encoding: 'utf8' }));
  return newestVersions(view('dist-tags').latest as string, view('versions') as string[]);
}
