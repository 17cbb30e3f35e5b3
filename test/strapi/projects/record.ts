/**
 * Records what Strapi answers from the projects of test/load/project/, to random requests and to requests for each rule
 * of SQLite, in test/conformance/sqlite/. With `--database mariadb`, from the museum on MariaDB with each of several
 * collations, or with MYSQL_PROGRAMS on MySQL, in test/database/mysql/recorded/.
 *
 *     npx tsx test/strapi/projects/record.ts --strapi DIR [--folder DIR] [--database mariadb]
 *
 * `--strapi` is a folder whose node_modules hold Strapi with better-sqlite3, compiled. Nothing is written there.
 */
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { isMysql, MysqlServer } from '../../database/mysql/mysql-server.ts';
import { configure, exportOf as mariadbExport, recordedCollations, restore } from '../../database/mysql/recorded.ts';
import {
  exportOf,
  type RecordedProject,
  recordedProjects,
  unpackProject,
} from '../../load/project/recorded-projects.ts';
import { freePort } from '../../support/cli.ts';
import { authorizations } from '../access.ts';
import { ask } from '../follow/clients.ts';
import { startStrapi } from '../follow/servers.ts';
import { writeProject } from '../project.ts';
import { Content } from '../queries/content.ts';
import type { Request } from '../queries/query-context.ts';
import { randomRequest } from '../queries/requests.ts';
import { respellFreely, ruleRequests } from '../queries/rules.ts';
import { Random } from '../random.ts';
import { modelsOfProjects } from './models.ts';

const { values } = parseArgs({
  options: {
    strapi: { type: 'string' },
    folder: { type: 'string', default: join(tmpdir(), 'lectern-strapi-recordings') },
    database: { type: 'string', default: 'sqlite' },
  },
});
if (!values.strapi) {
  console.error('--strapi takes a folder whose node_modules hold Strapi and better-sqlite3, compiled');
  process.exit(2);
}

const known = await authorizations();
const lines: string[] = [];
if (values.database === 'mariadb') await recordMariadb();
else for (const name of recordedProjects) await record(name, { project: name }, await requestsFor(name));
const answers = `database/mysql/recorded/answers-${isMysql ? 'mysql' : 'mariadb'}`;
const folder = values.database === 'mariadb' ? answers : 'conformance/sqlite';
const target = fileURLToPath(new URL(`../../${folder}/recordings.jsonl.gz`, import.meta.url));
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
process.exit(0);

/** Records requests to the Strapi of a project. Each recording has `facts`. */
async function record(
  name: RecordedProject,
  facts: Record<string, string>,
  requests: readonly Request[],
  prepare: (folder: string) => void = () => {},
): Promise<void> {
  const folder = writeFolder(name, resolve(values.strapi!), resolve(values.folder));
  prepare(folder);
  const strapi = await startStrapi(folder, await freePort(), {});
  for (const request of requests) {
    const { status, body } = await ask(strapi.address, request, known);
    const { kind, caller, path, headers } = request;
    lines.push(JSON.stringify({ ...facts, kind, caller, path, headers, status, body }));
  }
  await strapi.stop();
  console.log(`${Object.values(facts)}: ${lines.length} recordings so far`);
}

/** Records the museum with each collation: random requests with the first one alone. */
async function recordMariadb(): Promise<void> {
  const server = await MysqlServer.start(join(resolve(values.folder), 'mariadb', 'data'));
  const content = await Content.read(mariadbExport('museum'));
  for (const [i, collation] of recordedCollations.entries()) {
    restore('museum', server, collation, collation);
    const random = new Random(31 + i);
    const requests = ruleRequests(random, content, 500, (text) => respellFreely(random, text));
    if (i === 0) for (let n = 0; n < 500; n++) requests.push(randomRequest(random, content));
    await record('museum', { project: 'museum', collation }, requests, (folder) =>
      configure(folder, server, collation),
    );
  }
  await server.stop();
}

/** The project with its database, as Strapi runs it. */
function writeFolder(name: RecordedProject, strapi: string, parent: string): string {
  const folder = join(parent, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(strapi, 'node_modules'), join(folder, 'node_modules'));
  writeProject(folder, modelsOfProjects()[name], { database: 0, server: 0 });
  rmSync(join(folder, 'config', 'plugins.js'), { force: true });
  cpSync(unpackProject(name), folder, { recursive: true });
  return folder;
}

async function requestsFor(name: RecordedProject): Promise<Request[]> {
  const content = await Content.read(exportOf(name));
  const random = new Random(30);
  const requests = ruleRequests(random, content, name === 'museum' ? 500 : 200);
  if (name === 'museum') for (let i = 0; i < 500; i++) requests.push(randomRequest(random, content));
  return requests;
}
