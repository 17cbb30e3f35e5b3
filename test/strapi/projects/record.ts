/**
 * Records what Strapi answers from the projects of test/load/project/, to random requests and to requests for each rule
 * of SQLite, in test/conformance/sqlite/.
 *
 *     npx tsx test/strapi/projects/record.ts --strapi DIR [--folder DIR]
 *
 * `--strapi` is a folder whose node_modules hold Strapi with better-sqlite3, compiled. Nothing is written there.
 */
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
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
import { ruleRequests } from '../queries/rules.ts';
import { Random } from '../random.ts';
import { modelsOfProjects } from './models.ts';

const { values } = parseArgs({
  options: {
    strapi: { type: 'string' },
    folder: { type: 'string', default: join(tmpdir(), 'lectern-strapi-recordings') },
  },
});
if (!values.strapi) {
  console.error('--strapi takes a folder whose node_modules hold Strapi and better-sqlite3, compiled');
  process.exit(2);
}

const target = fileURLToPath(new URL('../../conformance/sqlite/recordings.jsonl.gz', import.meta.url));
const known = await authorizations();
const lines: string[] = [];
for (const name of recordedProjects) {
  const folder = writeFolder(name, resolve(values.strapi), resolve(values.folder));
  const strapi = await startStrapi(folder, await freePort(), {});
  for (const request of await requestsFor(name)) {
    const { status, body } = await ask(strapi.address, request, known);
    const { kind, caller, path, headers } = request;
    lines.push(JSON.stringify({ project: name, kind, caller, path, headers, status, body }));
  }
  await strapi.stop();
  console.log(`${name}: ${lines.length} recordings so far`);
}
writeFileSync(target, gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
process.exit(0);

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
