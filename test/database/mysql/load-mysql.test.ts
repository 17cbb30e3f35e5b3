/** The content of a Strapi's database on MariaDB is that of its export. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problems } from '../../../src/core/problems.ts';
import type { ServerLocation } from '../../../src/load/database/location.ts';
import { MysqlStates } from '../../../src/load/database/mysql/mysql-states.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import { openProjectContent } from '../../../src/load/project/project-content.ts';
import { readStrapiProject } from '../../../src/load/project/project-folder.ts';
import { loadStrapiContent } from '../../../src/load/strapi/strapi-content.ts';
import { prepareDigests } from '../../../src/store/writer/rows/row-digest.ts';
import { essenceOf } from '../../source/project/followed-content.ts';
import { sortedExport, withSortedLinks } from '../sorted-links.ts';
import { MysqlServer, withoutTls } from './mysql-server.ts';
import { exportOf, projectAt, restore } from './recorded.ts';

let server: MysqlServer;

beforeAll(async () => {
  await prepareDigests();
  server = await MysqlServer.start(undefined, ...withoutTls);
});

afterAll(() => server?.stop());

test('the database of a project gives the store of its export', async () => {
  restore('museum', server);
  const folder = projectAt('museum', server);
  const project = await readStrapiProject(folder);
  const states = new MysqlStates(project.database as ServerLocation);
  const state = await states.open();
  const opened = await openProjectContent(state.database, project);
  const { content } = await state.stage(opened);
  const read = await loadStrapiContent(withSortedLinks(content), 'museum', new Problems('tolerant'), {});
  await states.close();
  const exported = await loadSnapshot(sortedExport(exportOf('museum')));
  const { digest, roles, blocked } = essenceOf(exported);
  expect(essenceOf(read)).toMatchObject({ digest, roles, blocked });
  expect((await loadSnapshot(folder)).warnings).toEqual(exported.warnings);
});

test('a content that changes while it is read is that of one state', async () => {
  restore('museum', server, 'busy');
  const folder = projectAt('museum', server, 'busy');
  let isReading = true;
  const writing = (async () => {
    for (let i = 0; isReading; i++) {
      server.query(
        `UPDATE tags SET label = 'write ${i}' ORDER BY id LIMIT 3; DELETE FROM exhibits_tags_lnk LIMIT 1`,
        'busy',
      );
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  const read = await loadSnapshot(folder).finally(() => (isReading = false));
  await writing;
  const labels = read.store.byUid.get('api::tag.tag')!;
  const first = [0, 1, 2].map((row) => labels.jsonRows.value(row, 'label'));
  expect(new Set(first).size).toBe(1);
});

test('TLS, which the server lacks, is a sentence that says what to do', async () => {
  const tls = { rejectUnauthorized: true, ca: null, cert: null, key: null };
  const states = new MysqlStates({ ...server.location, tls });
  await expect(states.open()).rejects.toThrow('has no TLS; set ssl to false');
  await states.close();
});
