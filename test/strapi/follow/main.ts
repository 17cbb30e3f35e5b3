/**
 * Measures how soon Lectern shows the changes of a real Strapi, API tokens among them, and compares the answers of both afterwards, and again
 * after a change of the schema:
 *
 *     npm run test:follow -- [--source folder|rest|plugin|plugin-postgres|postgres|mariadb] [--folder DIR] [--strapi DIR]
 *                            [--entries 10000] [--edits 500] [--queries 400] [--seed 1] [--compare-seconds 5]
 *
 * Lectern follows the folder of the project, whose database is SQLite or the one that `--source` names, or the REST API
 * with webhooks. By REST it finds the changes that Strapi sends no webhook for by a comparison every
 * `--compare-seconds`; they are counted apart. `plugin` is the REST API with the posts of `strapi-plugin-lectern`.
 *
 * Entries beyond 10,000 are copies within the database. It installs Strapi in the folder and compiles better-sqlite3 there (minutes, once), unless `--strapi` names a folder
 * whose node_modules hold both. `--refill` fills it anew. The report is printed, and written to report.json.
 */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../../support/cli.ts';
import { authorizations } from '../access.ts';
import { exportContent } from '../filled.ts';
import { Content } from '../queries/content.ts';
import { Random } from '../random.ts';
import { StrapiClient } from './clients.ts';
import { Comparison } from './comparison.ts';
import type { DatabaseKind } from './databases.ts';
import { editContent } from './edit-content.ts';
import { idleLoad } from './idle-load.ts';
import { filledEntries, multiplyContent } from './multiply.ts';
import { prepareProject } from './project.ts';
import { changeSchema } from './schema-change.ts';
import { startLectern, startStrapi } from './servers.ts';
import { type FollowedSource, folderSource, pluginSource, restSource } from './sources.ts';
import { changeToken } from './token.ts';

const { values } = parseArgs({
  options: {
    source: { type: 'string', default: 'folder' },
    folder: { type: 'string', default: join(tmpdir(), 'lectern-strapi-follow') },
    strapi: { type: 'string' },
    entries: { type: 'string', default: '10000' },
    edits: { type: 'string', default: '500' },
    queries: { type: 'string', default: '400' },
    seed: { type: 'string', default: '1' },
    'compare-seconds': { type: 'string', default: '5' },
    refill: { type: 'boolean', default: false },
  },
});
/** The database of Strapi by the name of the source. */
const databases: Readonly<Record<string, DatabaseKind>> = {
  folder: 'sqlite',
  rest: 'sqlite',
  plugin: 'sqlite',
  'plugin-postgres': 'postgres',
  postgres: 'postgres',
  mariadb: 'mariadb',
};
const kind = databases[values.source];
if (!kind) throw new Error(`--source is one of ${Object.keys(databases).join(', ')}, not "${values.source}"`);
const folder = resolve(values.folder);
const seed = Number(values.seed);
const entries = Number(values.entries);
const database = await prepareProject({
  folder,
  strapi: values.strapi ? resolve(values.strapi) : null,
  entries: Math.min(entries, filledEntries),
  refill: values.refill,
  database: kind,
});
await multiplyContent(folder, database.connection, Math.ceil(entries / filledEntries) - 1);
// the values of random edits have to fit the database
process.env.DATABASE_CLIENT = database.connection.DATABASE_CLIENT;
const known = await authorizations();
const port = await freePort();
const adminPort = await freePort();
const source = sourceOf(`http://127.0.0.1:${port}`, Number(values['compare-seconds']), kind);
const startSource = () => startStrapi(folder, port, source.webhooks(adminPort));
let strapi = await startSource();
const lectern = await startLectern(folder, 'followed', source, { adminPort, follows: true });
const client = new StrapiClient(strapi.address, known.full!);
const comparison = new Comparison(strapi.address, lectern.address, known, kind);
// a comparison of the start is no part of the figures
await source.caughtUp(lectern);

const loadBefore = loadavg();
const edited = await editContent(comparison, client, source, new Random(seed), Number(values.edits));
console.log(edited.text);
await source.caughtUp(lectern);

// REST alone shows no tokens
const token = values.source === 'rest' ? null : await changeToken(client, lectern.address);
if (token) console.log(token.text);

const archive = join(folder, 'edited.tar.gz');
await exportContent(folder, archive);
const content = await Content.read(archive);
const afterEdits = await comparison.compareQueries(content, seed, Number(values.queries));
console.log(`after the edits: ${afterEdits.text}`);

await strapi.stop();
const schemaChange = await changeSchema(folder, comparison, client, source.longest.silent, async () => {
  strapi = await startSource();
});
console.log(schemaChange.text);
await source.caughtUp(lectern);
const afterSchemaChange = await comparison.compareQueries(content, seed + 1, Number(values.queries));
console.log(`after the change of the schema: ${afterSchemaChange.text}`);

// the same source, loaded afresh: Lectern must answer from it as it does after all changes
const fresh = await startLectern(folder, 'fresh', source, { adminPort: await freePort(), follows: false });
const again = new Comparison(fresh.address, lectern.address, known, kind);
const sameAsFresh = await again.compareExactly(content, seed + 2, Number(values.queries));
console.log(`followed and loaded afresh: ${sameAsFresh.text}`);
await fresh.stop();
const withFollower = database.pid && (await idleLoad(database.pid));
await lectern.stop();
const withoutFollower = database.pid && (await idleLoad(database.pid));
if (withFollower !== null && withoutFollower !== null) {
  const [one, other] = [withFollower, withoutFollower].map((load) => `${(load * 100).toFixed(2)} %`);
  console.log(`The database uses ${one} of a processor with an idle follower, ${other} without.`);
}

const report = {
  date: new Date().toISOString(),
  source: values.source,
  processor: cpus()[0]?.model,
  processors: cpus().length,
  node: process.version,
  load: { before: loadBefore, after: loadavg() },
  entries,
  seed,
  edits: edited.report,
  token: token?.report,
  schemaChange: schemaChange.report,
  afterEdits: afterEdits.report,
  afterSchemaChange: afterSchemaChange.report,
  sameAsFresh: sameAsFresh.report,
  idleDatabase: { withFollower, withoutFollower },
};
writeFileSync(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
console.log(`Report: ${join(folder, 'report.json')}`);
await strapi.stop();
await database.stop();
const others = token ? [token, schemaChange] : [schemaChange];
const lost = others.reduce((sum, { failures }) => sum + failures, edited.failures);
const differing = afterEdits.failures + afterSchemaChange.failures + sameAsFresh.failures;
const shown = edited.shown + others.filter(({ failures }) => failures === 0).length;
console.log(`${shown} changes shown, ${lost} lost; ${3 * Number(values.queries)} queries, ${differing} differ`);
process.exit(lost + differing === 0 ? 0 : 1);

function sourceOf(address: string, compareSeconds: number, kind: DatabaseKind): FollowedSource {
  if (values.source === 'rest') return restSource(address, compareSeconds, kind);
  const hasPlugin = values.source!.startsWith('plugin');
  return hasPlugin ? pluginSource(address, compareSeconds, kind, folder) : folderSource(folder);
}
