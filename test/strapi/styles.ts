/**
 * Compares Lectern with a real Strapi on small projects in styles that are wrong or unusual: starts each with SQLite,
 * exports it, and asks both the same questions. `--strapi` is a folder whose node_modules hold Strapi,
 * @strapi/plugin-users-permissions, better-sqlite3 and Strapi's React packages.
 */
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { listedTypes } from '../../src/http/home/examples.ts';
import { type Content, open } from '../../src/index.ts';
import { systemNames } from '../../src/model/schema/type-definition.ts';
import { changed, rich } from './styles/changed.ts';
import { plugin } from './styles/plugin.ts';
import { createProject, exportProject, startProject, writeModel } from './styles/project.ts';
import { relations } from './styles/relations.ts';
import type { Style } from './styles/style.ts';

const { values } = parseArgs({
  options: {
    strapi: { type: 'string' },
    folder: { type: 'string', default: join(tmpdir(), 'lectern-styles') },
    style: { type: 'string' },
  },
});
if (values.strapi === undefined) throw new Error('--strapi DIR is missing: a folder in which Strapi is installed');
const installed = resolve(values.strapi);
const styles = [relations, rich, changed, plugin].filter(({ name }) => (values.style ?? name) === name);

let differences = 0;
for (const style of styles) differences += await compare(style);
process.exit(differences === 0 ? 0 : 1);

/** The number of requests that are answered differently. */
async function compare({ name, model, seed, unfiltered = [], changed: later }: Style): Promise<number> {
  const folder = join(values.folder, name);
  createProject(folder, installed);
  writeModel(folder, model, seed);
  let strapi = await startProject(folder);
  if (later) {
    await strapi.stop();
    writeModel(folder, later, '');
    strapi = await startProject(folder);
  }
  const content = await open(await exportProject(folder));
  console.log(`\n${name}`);
  for (const { message } of content.summary.warnings) console.log(`  warning: ${message}`);
  let [same, failed, different] = [0, 0, 0];
  for (const url of questions(content, unfiltered)) {
    const [theirs, ours] = await Promise.all([askStrapi(strapi.address + url), askLectern(content, url)]);
    if (theirs.status >= 500) failed++;
    else if (isDeepStrictEqual(theirs, ours)) same++;
    else {
      different++;
      console.log(`  ${url}\n    Strapi:  ${JSON.stringify(theirs)}\n    Lectern: ${JSON.stringify(ours)}`);
    }
  }
  console.log(`  ${same} equal, ${failed} that Strapi failed on, ${different} different`);
  await strapi.stop();
  return different;
}

/** Every type with everything populated, and each attribute by itself. */
function questions(content: Content, unfiltered: string[]): string[] {
  return listedTypes(content).flatMap(({ route, ...type }) => {
    const attributes = type.attributes.filter(({ name }) => !systemNames.has(name));
    const at = `/api/${route}`;
    const each = attributes.flatMap(({ name, type }) => {
      const isLink = ['component', 'dynamiczone', 'media', 'relation', 'polymorphic'].includes(type);
      if (isLink) return [`populate=${name}&fields=id`, `populate[${name}][populate]=*&fields=id`];
      if (unfiltered.includes(name)) return [`fields=${name}`];
      const filters = [`filters[${name}][$eq]=12`, `filters[${name}][$null]=true`];
      // SQLite sorts nulls before all else, and JSON has no order in Lectern
      const sort = type === 'json' ? 'id' : `${name}:desc,id`;
      return [`fields=${name}`, `filters[${name}][$notNull]=true&sort=${sort}`, ...filters];
    });
    return ['', 'populate=*', 'populate=*&status=draft', 'sort=id:desc', ...each].map((query) => `${at}?${query}`);
  });
}

async function askStrapi(url: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
}

async function askLectern(content: Content, url: string): Promise<{ status: number; body: unknown }> {
  const { status, body } = await content.answer(url);
  return { status, body: JSON.parse(body.toString()) };
}
