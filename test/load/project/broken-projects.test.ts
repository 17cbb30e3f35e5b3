/** Projects that cannot be read are rejected with a sentence that names the place, and nothing is half loaded. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { expect, test } from 'vitest';
import { loadSnapshot } from '../../../src/load/load.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { databaseOf, unpackProject } from './recorded-projects.ts';

/** Runs statements on the database of a project. */
function change(folder: string, ...statements: string[]): void {
  const database = new sqlite.Database(databaseOf(folder));
  for (const statement of statements) database.run(statement);
  database.close();
}

/** Returns a project of Strapi without content. */
function emptyProject(dependencies: object = { '@strapi/strapi': '5.54.0' }): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }));
  writeFileSync(join(folder, '.env'), 'DATABASE_FILENAME=.tmp/data.db\n');
  mkdirSync(join(folder, '.tmp'));
  return folder;
}

test.each<[string, string, RegExp]>([
  [
    'a table that is missing',
    'ALTER TABLE artists RENAME TO artists_old',
    /data\.db: api::artist\.artist needs the table artists, which is missing: the schema does not fit the database/,
  ],
  [
    'a column that is missing',
    'ALTER TABLE rooms RENAME COLUMN floor TO storey',
    /data\.db: api::room\.room, attribute floor, needs the column rooms\.floor, which is missing/,
  ],
  [
    'the table of a relation that is missing',
    'ALTER TABLE exhibits_tags_lnk RENAME TO exhibits_labels_lnk',
    /api::exhibit\.exhibit, attribute tags, needs the table exhibits_tags_lnk/,
  ],
  [
    'a position that is missing',
    'ALTER TABLE exhibits_tags_lnk RENAME COLUMN tag_ord TO place',
    /api::exhibit\.exhibit, attribute tags, needs the column exhibits_tags_lnk\.tag_ord/,
  ],
  [
    'a table of components that is missing',
    'ALTER TABLE components_zone_lists_cmps RENAME TO gone',
    /zone\.list needs the table components_zone_lists_cmps/,
  ],
  [
    'the column of a polymorphic relation that is missing',
    'ALTER TABLE remarks RENAME COLUMN target_type TO kind',
    /api::remark\.remark, attribute subject, needs the column remarks\.target_type/,
  ],
  [
    'a component that two entries share',
    "UPDATE exhibits_cmps SET cmp_id = (SELECT min(cmp_id) FROM exhibits_cmps WHERE field = 'label') WHERE id = (SELECT max(id) FROM exhibits_cmps WHERE field = 'label')",
    /api::exhibit\.exhibit \d+, attribute label: the id \d+ is given twice: two entries share this component, but each/,
  ],
  [
    'a database of Strapi 4',
    'ALTER TABLE files RENAME COLUMN document_id TO other',
    /data\.db: a database of Strapi 4; only that of Strapi 5 is read; write an export/,
  ],
  [
    'a database without content types',
    "DELETE FROM strapi_core_store_settings WHERE key = 'strapi_content_types_schema'",
    /data\.db: has no content types yet; start Strapi once/,
  ],
  [
    'a database of another program',
    'ALTER TABLE strapi_core_store_settings RENAME TO settings',
    /data\.db: not the database of a Strapi: it has no table strapi_core_store_settings/,
  ],
  [
    'content types that are none',
    `UPDATE strapi_core_store_settings SET value = '{"api::a.a":{"attributes":{}},"api::b.b":7}' WHERE key = 'strapi_content_types_schema'`,
    /type api::a\.a: "collectionName" is missing[\s\S]*type api::b\.b: expected an object/,
  ],
])('rejects %s', async (_, statement, message) => {
  const folder = unpackProject('museum');
  change(folder, statement);
  await expect(loadSnapshot(folder)).rejects.toThrow(message);
});

test('a column of a private attribute may be missing, because it is not read', async () => {
  const folder = unpackProject('museum');
  change(folder, 'ALTER TABLE exhibits RENAME COLUMN valuation TO estimate');
  await expect(loadSnapshot(folder)).resolves.toMatchObject({ warnings: [] });
});

test('rejects a component that is no JSON', async () => {
  const folder = unpackProject('museum');
  writeFileSync(join(folder, 'src/components/detail/size.json'), '{"attributes":');
  await expect(loadSnapshot(folder)).rejects.toThrow(/src\/components\/detail\/size\.json: is not JSON/);
});

test('a component that is missing is a warning, as in an export', async () => {
  const folder = unpackProject('museum');
  rmSync(join(folder, 'src/components/zone/quote.json'));
  const { warnings } = await loadSnapshot(folder);
  expect(warnings.map(({ message }) => message).join()).toMatch(/zone\.quote/);
});

test('rejects a project without its database', async () => {
  await expect(loadSnapshot(emptyProject())).rejects.toThrow(/\.tmp\/data\.db: /);
});

test('rejects a project of Strapi 4', async () => {
  const folder = emptyProject({ '@strapi/strapi': '^4.25.0' });
  await expect(loadSnapshot(folder)).rejects.toThrow(/the project uses Strapi 4\.25\.0; only the database of Strapi 5/);
});

test('a custom field of a component has the type of its column', async () => {
  const folder = unpackProject('archive');
  const path = 'src/components/clauses/leaf.json';
  const attributes = { text: { type: 'customField', customField: 'plugin::color-picker.color' } };
  const definition = { collectionName: 'components_clauses_leafs', info: { displayName: 'leaf' }, attributes };
  writeFileSync(join(folder, path), JSON.stringify(definition));
  change(folder, "UPDATE components_clauses_leafs SET text = '123456'");
  const { store } = await loadSnapshot(folder);
  expect(store.schema.type('clauses.leaf').attributes.get('text')).toMatchObject({ type: 'string' });
});

test('a folder of another program is no project', async () => {
  const folder = emptyProject({ express: '5.0.0' });
  await expect(loadSnapshot(folder)).rejects.toThrow(/package\.json/);
});
