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
import { MariadbServer, password, withoutTls } from './mariadb-server.ts';
import { exportOf, projectAt, restore } from './recorded.ts';

let server: MariadbServer;

beforeAll(async () => {
  await prepareDigests();
  server = await MariadbServer.start(undefined, ...withoutTls);
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

test.each([
  ['another password', { password: 'other' }, 'rejects the user strapi'],
  ['another port', { port: 1 }, 'no server takes connections at 127.0.0.1, port 1'],
  ['an unknown host', { host: 'nowhere.invalid' }, 'the host nowhere.invalid is not known'],
  ['an unknown database', { database: 'nothing' }, 'the server has no database nothing'],
  ['TLS, which the server lacks', { tls: { rejectUnauthorized: true, ca: null, cert: null, key: null } }, 'has no TLS'],
])('%s is a sentence that says what to do, without the password', async (_, given, expected) => {
  const states = new MysqlStates({ ...server.location, ...given });
  const error = await states.open().catch((reason: Error) => reason);
  await states.close();
  expect((error as Error).message).toContain(expected);
  expect((error as Error).message).not.toContain(password);
});

test('SELECT is the only right that reading takes, and a table without it is named', async () => {
  restore('museum', server, 'guarded');
  server.query(
    "CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'reader-secret'; GRANT SELECT ON guarded.* TO reader@'127.0.0.1'; " +
      "CREATE USER some@'127.0.0.1' IDENTIFIED BY 'some-secret'; GRANT SELECT ON guarded.tags TO some@'127.0.0.1'",
  );
  const open = async (user: string) => {
    const states = new MysqlStates({ ...server.location, database: 'guarded', user, password: `${user}-secret` });
    try {
      const project = await readStrapiProject(projectAt('museum', server, 'guarded'));
      const state = await states.open();
      const { content } = await state.stage(await openProjectContent(state.database, project));
      return content.tables.mapping.types.size;
    } finally {
      await states.close();
    }
  };
  expect(await open('reader')).toBeGreaterThan(10);
  await expect(open('some')).rejects.toThrow(
    /no table strapi_core_store_settings, or the user may not read it; run GRANT SELECT/,
  );
});
