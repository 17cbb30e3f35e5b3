/**
 * Restarts a real Strapi on PostgreSQL with another attribute while Lectern reads its content for the first time, and
 * compares the answers of Lectern with those of Strapi, and with those of a Lectern that loads afresh:
 *
 *     npm run test:restart -- [--folder DIR] [--strapi DIR] [--entries 100000] [--queries 200] [--seed 1]
 *                             [--changes added,renamed,retyped,removed] [--delay 50]
 *
 * `--folder` and `--strapi` are those of `npm run test:follow`. The entries are copies of 10,000. Lectern reads through a
 * proxy that delays messages by `--delay` milliseconds until Strapi has started.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '../../support/cli.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { authorizations } from '../access.ts';
import { exportContent } from '../filled.ts';
import { Content } from '../queries/content.ts';
import { StrapiClient } from './clients.ts';
import { Comparison } from './comparison.ts';
import { filledEntries, multiplyContent } from './multiply.ts';
import { prepareProject } from './project.ts';
import { startLectern, startStrapi } from './servers.ts';
import { folderSource } from './sources.ts';

/** Messages after which Lectern reads entries. */
const opening = 60;

interface SchemaChange {
  /** Changes the attributes of the type `exhibit`. */
  apply(attributes: Record<string, unknown>): void;
  /** Values of an exhibit that Strapi takes afterwards. */
  readonly values: object;
}

const changes: Readonly<Record<string, SchemaChange>> = {
  added: {
    apply: (attributes) => Object.assign(attributes, { motto: { type: 'string' } }),
    values: { motto: 'festina lente' },
  },
  renamed: {
    apply(attributes) {
      attributes.substance = attributes.material;
      delete attributes.material;
    },
    values: { substance: 'brass' },
  },
  retyped: {
    apply: (attributes) => Object.assign(attributes, { pieces: { type: 'string' } }),
    values: { pieces: 'a few' },
  },
  removed: { apply: (attributes) => void delete attributes.remark, values: { title: 'without a remark' } },
};

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: join(tmpdir(), 'lectern-strapi-follow') },
    strapi: { type: 'string' },
    entries: { type: 'string', default: '100000' },
    queries: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    delay: { type: 'string', default: '50' },
    changes: { type: 'string', default: Object.keys(changes).join(',') },
  },
});
const folder = resolve(values.folder);
const seed = Number(values.seed);
const queries = Number(values.queries);
const strapiFolder = values.strapi ? resolve(values.strapi) : null;
const common = { folder, strapi: strapiFolder, entries: filledEntries, refill: false, database: 'postgres' } as const;
const database = await prepareProject(common);
process.env.DATABASE_CLIENT = 'postgres';
const archive = join(folder, 'filled.tar.gz');
await exportContent(folder, archive);
const content = await Content.read(archive);
await multiplyContent(folder, database.connection, Math.ceil(Number(values.entries) / filledEntries) - 1);
const known = await authorizations();
const proxy = await TcpProxy.to(Number(database.connection.DATABASE_PORT));
const source = folderSource(folder);
let failures = 0;

for (const name of values.changes.split(',')) {
  const change = changes[name];
  if (!change) throw new Error(`--changes are of ${Object.keys(changes).join(', ')}, not "${name}"`);
  proxy.delay = 0;
  let messages = 0;
  proxy.beforeMessage = async () => {
    if (++messages === opening) proxy.delay = Number(values.delay);
  };
  const slow = {
    ...source,
    settings: { follow: { startSeconds: 1200 } },
    environment: { DATABASE_PORT: `${proxy.port}` },
  };
  const starting = startLectern(folder, `restart-${name}`, slow, { adminPort: await freePort(), follows: true });
  while (messages < opening) await sleep(50);
  const before = messages;
  changeSchema(change);
  const strapi = await startStrapi(folder, await freePort(), {});
  const during = messages - before;
  proxy.beforeMessage = null;
  proxy.delay = 0;
  const path = await exhibitPath(strapi.address);
  await new StrapiClient(strapi.address, known.full!).send('PUT', path, { data: change.values });
  const lectern = await starting;
  const log = readFileSync(join(folder, `restart-${name}.log`), 'utf8');
  const again = log.split('\n').filter((line) => /changed its tables|changing its tables/.test(line)).length;
  console.log(
    `${name}: ${during} messages while Strapi started; the read began again ${again > 0 ? 'because of it' : 'never'}`,
  );
  if (again === 0) failures++;
  const ofStrapi = new Comparison(strapi.address, lectern.address, known, 'postgres');
  const shown = await ofStrapi.lectern({ kind: 'probe', caller: 'full', path });
  const isShown = Object.values(change.values).every((value) => JSON.stringify(shown.body).includes(value));
  const answers = await ofStrapi.compareQueries(content, seed, queries);
  const fresh = await startLectern(folder, 'fresh', source, { adminPort: await freePort(), follows: false });
  const sameAsFresh = await new Comparison(fresh.address, lectern.address, known, 'postgres').compareExactly(
    content,
    seed + 1,
    queries,
  );
  console.log(`  the new value is ${isShown ? '' : 'NOT '}shown`);
  console.log(`  Strapi and Lectern: ${answers.text}`);
  console.log(`  followed and loaded afresh: ${sameAsFresh.text}`);
  failures += Number(!isShown) + answers.failures + sameAsFresh.failures;
  for (const server of [fresh, lectern, strapi]) await server.stop();
}
await proxy.close();
await database.stop();
process.exit(failures === 0 ? 0 : 1);

function changeSchema({ apply }: SchemaChange): void {
  const file = join(folder, 'src', 'api', 'exhibit', 'content-types', 'exhibit', 'schema.json');
  const schema = JSON.parse(readFileSync(file, 'utf8'));
  apply(schema.attributes);
  writeFileSync(file, JSON.stringify(schema, null, 2));
}

/** The path of the first published exhibit. */
async function exhibitPath(address: string): Promise<string> {
  const authorization = known.full!;
  const reply = await fetch(`${address}/api/exhibits?sort=id&pagination[limit]=1`, { headers: { authorization } });
  const { data } = (await reply.json()) as { data: { documentId: string }[] };
  return `/api/exhibits/${data[0].documentId}`;
}
