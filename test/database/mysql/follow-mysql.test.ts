/** A followed content on MariaDB is at any time that of its database, with transaction ids in the server's log and without. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ProjectReader } from '../../../src/follow/project/project-reader.ts';
import type { SourceChange } from '../../../src/follow/source-reader.ts';
import type { ServerLocation } from '../../../src/load/database/location.ts';
import { MysqlStates } from '../../../src/load/database/mysql/mysql-states.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import type { LoadedSnapshot } from '../../../src/load/loaded.ts';
import { openProjectContent } from '../../../src/load/project/project-content.ts';
import { readStrapiProject } from '../../../src/load/project/project-folder.ts';
import { applyTo, essenceOf } from '../../source/project/followed-content.ts';
import { seeded } from '../postgres/sql-edits.ts';
import { MariadbEdits } from './mariadb-edits.ts';
import { isMysql, MysqlServer, withIds, withoutLog } from './mysql-server.ts';
import { projectAt, restore } from './recorded.ts';

const kindsOfServers: [name: string, settings: readonly string[]][] = [
  ['without a log', withoutLog],
  ['with ids of transactions', withIds],
];
// MariaDB has ids in every log
if (isMysql) kindsOfServers.push(['with a log without ids', ['--log-bin', '--server-id=1']]);

describe.each(kindsOfServers)('a server %s', (_, settings) => {
  let server: MysqlServer;
  let database = '';
  let folder: string;
  let reader: ProjectReader;
  let loaded: LoadedSnapshot;
  let databases = 0;

  beforeAll(async () => {
    server = await MysqlServer.start(undefined, ...settings);
  });

  afterAll(() => server?.stop());

  beforeEach(async () => {
    database = `museum_${databases++}`;
    restore('museum', server, database);
    folder = projectAt('museum', server, database);
    // a write without a time of change beside one with a time is found by a comparison of everything
    reader = new ProjectReader({ kind: 'project', folder, compareSeconds: 1 }, () => {});
    loaded = await reader.load({});
  });

  afterEach(() => reader.close());

  /** Takes a change as a server does. */
  async function take(change: SourceChange): Promise<void> {
    if (change.kind === 'batch') loaded = applyTo(loaded, change.batch);
    else if (change.kind === 'reload') loaded = await reader.load({});
    else if (change.kind === 'access') loaded = { ...loaded, ...change.access };
  }

  async function takeUntilFresh(): Promise<void> {
    const fresh = essenceOf(await loadSnapshot(folder));
    for (let n = 0; n < 6 && JSON.stringify(essenceOf(loaded)) !== JSON.stringify(fresh); n++)
      await take(await reader.next());
    expect(essenceOf(loaded)).toEqual(fresh);
  }

  test.each([
    ['an entry', "UPDATE tags SET label = 'other', updated_at = now(6) ORDER BY id LIMIT 1"],
    ['an entry without a time of change', "UPDATE tags SET label = 'silent' ORDER BY id LIMIT 1"],
    ['the order of a list', 'UPDATE exhibits_tags_lnk SET tag_ord = 7.5 ORDER BY id LIMIT 1'],
    ['a deletion', 'DELETE FROM tags ORDER BY id LIMIT 1'],
    ['tokens', 'DELETE FROM strapi_api_tokens ORDER BY id LIMIT 1'],
  ])('finds a change of %s', async (_name, statement) => {
    const next = reader.next();
    server.query(statement, database);
    await take(await next);
    await takeUntilFresh();
  });

  test('equals a fresh load after random edits', async () => {
    const { database: location } = await readStrapiProject(folder);
    const states = new MysqlStates(location as ServerLocation);
    const state = await states.open();
    const { mapping } = (await openProjectContent(state.database, await readStrapiProject(folder))).tables;
    await state.close();
    await states.close();
    const edits = new MariadbEdits(server, database, mapping, seeded(7));
    for (let round = 0; round < 8; round++) {
      for (let n = 0; n < 4; n++) edits.transaction();
      await takeUntilFresh();
    }
  });
});
