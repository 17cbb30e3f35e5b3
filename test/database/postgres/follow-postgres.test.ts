/** A followed content on PostgreSQL is at any time that of its database. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ProjectReader } from '../../../src/follow/project/project-reader.ts';
import type { SourceChange } from '../../../src/follow/source-reader.ts';
import { PostgresStates } from '../../../src/load/database/postgres/postgres-states.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import type { LoadedSnapshot } from '../../../src/load/loaded.ts';
import { openProjectContent } from '../../../src/load/project/project-content.ts';
import { readStrapiProject } from '../../../src/load/project/project-folder.ts';
import { applyTo, essenceOf } from '../../source/project/followed-content.ts';
import { PostgresServer } from './postgres-server.ts';
import { projectAt, restore } from './recorded.ts';
import { SqlEdits, seeded } from './sql-edits.ts';

let server: PostgresServer;
let folder: string;
let reader: ProjectReader;
let loaded: LoadedSnapshot;
let databases = 0;

beforeAll(async () => {
  server = await PostgresServer.start();
  await server.query('CREATE DATABASE museum');
  restore('museum', server, 'museum');
});

afterAll(() => server?.stop());

beforeEach(async () => {
  const database = `museum_${databases++}`;
  await server.query(`CREATE DATABASE ${database} TEMPLATE museum`);
  folder = projectAt('museum', server.urlOf(database));
  reader = new ProjectReader({ kind: 'project', folder, compareSeconds: 3600 }, () => {});
  loaded = await reader.load({});
});

afterEach(() => reader.close());

function connect() {
  return server.connect(`museum_${databases - 1}`);
}

/** Takes a change as a server does. */
async function take(change: SourceChange): Promise<void> {
  if (change.kind === 'batch') loaded = applyTo(loaded, change.batch);
  else if (change.kind === 'reload') loaded = await reader.load({});
  else if (change.kind === 'access') loaded = { ...loaded, ...change.access };
}

async function run(...statements: string[]): Promise<void> {
  const client = await connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

test('finds a change of an entry, and nothing else', async () => {
  const next = reader.next();
  await run(`UPDATE tags SET label = 'other' WHERE id = (SELECT min(id) FROM tags)`);
  const found = await next;
  expect(found).toMatchObject({
    kind: 'batch',
    batch: { entities: [{ type: 'api::tag.tag', data: { label: 'other' } }], links: [] },
  });
  await take(found);
  expect(essenceOf(loaded)).toEqual(essenceOf(await loadSnapshot(folder)));
});

test('finds a change of tokens, settings and content types', async () => {
  await run(`DELETE FROM strapi_api_tokens WHERE id = (SELECT min(id) FROM strapi_api_tokens)`);
  expect(await reader.next()).toMatchObject({ kind: 'access', reason: 'the API tokens have changed' });
  await run(
    `UPDATE strapi_core_store_settings SET value = replace(value, '"displayName":"tag"', '"displayName":"Tag"') WHERE key = 'strapi_content_types_schema'`,
  );
  expect(await reader.next()).toMatchObject({ kind: 'reload', reason: 'the content types have changed' });
});

test('equals a fresh load after random edits', async () => {
  const project = await readStrapiProject(folder);
  if (project.database.client !== 'postgres') throw new Error('not on PostgreSQL');
  const states = PostgresStates.at(project.database);
  const state = await states.open();
  const { mapping } = (await openProjectContent(state.database, project)).tables;
  await state.close();
  await states.close();
  const client = await connect();
  const edits = new SqlEdits(client, mapping, seeded(7));
  let batches = 0;
  for (let round = 0; round < 12; round++) {
    for (let n = 0; n < 4; n++) {
      await edits.transaction();
      if (n === 3) await client.query(`UPDATE tags SET label = 'round ${round}' WHERE id = (SELECT max(id) FROM tags)`);
    }
    // the last edit of the round always changes the content
    const change = await reader.next();
    await take(change);
    batches += change.kind === 'batch' ? 1 : 0;
    const fresh = await loadSnapshot(folder);
    expect(essenceOf(loaded), `round ${round}`).toEqual(essenceOf(fresh));
  }
  await client.end();
  expect(batches).toBeGreaterThan(9);
});
