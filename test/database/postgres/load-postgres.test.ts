/** The content of a Strapi's database on PostgreSQL is that of its export. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problems } from '../../../src/core/problems.ts';
import type { ServerLocation } from '../../../src/load/database/location.ts';
import { PostgresStates } from '../../../src/load/database/postgres/postgres-states.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import { openProjectContent } from '../../../src/load/project/project-content.ts';
import { readStrapiProject } from '../../../src/load/project/project-folder.ts';
import { loadStrapiContent, type StrapiContent } from '../../../src/load/strapi/strapi-content.ts';
import { prepareDigests } from '../../../src/store/writer/rows/row-digest.ts';
import { recordedProjects } from '../../load/project/recorded-projects.ts';
import { essenceOf } from '../../source/project/followed-content.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { PostgresServer } from './postgres-server.ts';
import { exportOf, projectAt, recordedDatabases, restore } from './recorded.ts';

let server: PostgresServer;

beforeAll(async () => {
  await prepareDigests();
  server = await PostgresServer.start();
});

afterAll(() => server?.stop());

/** What does not depend on the order of links, which an export from PostgreSQL has at random. */
const byEnds = (link: unknown) => JSON.stringify(link, ['left', 'right', 'type', 'field', 'ref', 'pos']);

/** Unpacks an export, with its links in another order. */
function sortedExport(path: string): string {
  const folder = temporaryFolder();
  execFileSync('tar', ['xzf', path, '-C', folder]);
  const links = join(folder, 'links');
  const files = readdirSync(links).map((name) => join(links, name));
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n').filter(Boolean));
  const sorted = lines.sort((a, b) => (byEnds(JSON.parse(a)) < byEnds(JSON.parse(b)) ? -1 : 1));
  for (const file of files) writeFileSync(file, '');
  writeFileSync(files[0], `${sorted.join('\n')}\n`);
  return folder;
}

function withSortedLinks(content: StrapiContent): StrapiContent {
  return {
    strapiVersion: content.strapiVersion,
    types: content.types,
    has: () => true,
    async each(stage, take) {
      if (stage !== 'links') return content.each(stage, take);
      const lines: [Record<string, unknown>, string][] = [];
      await content.each(stage, (line, location) => lines.push([line, location]));
      for (const line of lines.sort(([a], [b]) => (byEnds(a) < byEnds(b) ? -1 : 1))) take(...line);
    },
    uploadedFiles: (names) => content.uploadedFiles(names),
  };
}

test('each project is recorded on PostgreSQL, too', () => {
  expect(recordedDatabases().sort()).toEqual([...recordedProjects].sort());
});

test.each(recordedDatabases())('the database of the project %s gives the store of its export', async (name) => {
  await server.query(`CREATE DATABASE ${name}`);
  restore(name, server, name);
  const folder = projectAt(name, server.urlOf(name));
  const project = await readStrapiProject(folder);
  const states = PostgresStates.at(project.database as ServerLocation);
  const state = await states.open();
  const opened = await openProjectContent(state.database, project);
  const { content } = await state.stage(opened);
  const read = await loadStrapiContent(withSortedLinks(content), name, new Problems('tolerant'), {});
  await states.close();
  const exported = await loadSnapshot(sortedExport(exportOf(name)));
  const { digest, roles, blocked } = essenceOf(exported);
  expect(essenceOf(read)).toMatchObject({ digest, roles, blocked });
  expect((await loadSnapshot(folder)).warnings).toEqual(exported.warnings);
});
