/** The content of a Strapi's database on PostgreSQL is that of its export. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problems } from '../../../src/core/problems.ts';
import type { ServerLocation } from '../../../src/load/database/location.ts';
import { PostgresStates } from '../../../src/load/database/postgres/postgres-states.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import { openProjectContent } from '../../../src/load/project/project-content.ts';
import { readStrapiProject } from '../../../src/load/project/project-folder.ts';
import { loadStrapiContent } from '../../../src/load/strapi/strapi-content.ts';
import { prepareDigests } from '../../../src/store/writer/rows/row-digest.ts';
import { recordedProjects } from '../../load/project/recorded-projects.ts';
import { essenceOf } from '../../source/project/followed-content.ts';
import { sortedExport, withSortedLinks } from '../sorted-links.ts';
import { PostgresServer } from './postgres-server.ts';
import { exportOf, projectAt, recordedDatabases, restore } from './recorded.ts';

let server: PostgresServer;

beforeAll(async () => {
  await prepareDigests();
  server = await PostgresServer.start();
});

afterAll(() => server?.stop());

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
