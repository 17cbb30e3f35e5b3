/** Rows and links are read in parts as they are read whole, and what an export leaves out is left out. */
import sqlite from 'node-sqlite3-wasm';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/load/database/database.ts';
import type { DatabaseTables } from '../../../src/load/database/database-tables.ts';
import { openProjectContent } from '../../../src/load/project/project-content.ts';
import { readStrapiProject } from '../../../src/load/project/project-folder.ts';
import { databaseOf, unpackProject } from '../project/recorded-projects.ts';

/** Opens the tables of the museum after some statements. */
async function openTables(...statements: string[]): Promise<DatabaseTables> {
  const folder = unpackProject('museum');
  const writer = new sqlite.Database(databaseOf(folder));
  for (const statement of statements) writer.run(statement);
  writer.close();
  const database = await openDatabase(databaseOf(folder));
  return openProjectContent(database, await readStrapiProject(folder, {})).tables;
}

const exhibit = 'api::exhibit.exhibit';
const linksOf = (tables: DatabaseTables, attribute: string) =>
  tables.mapping.links.filter((table) => table.attribute === attribute).flatMap((table) => [...tables.links(table)]);

test('rows with given ids are those of the whole table, with their components', async () => {
  const tables = await openTables();
  const all = [...tables.entities(exhibit)];
  const some = all.filter((_, index) => index % 3 === 0);
  const ids = some.map(({ id }) => id);
  expect([...tables.entities(exhibit, [...ids.toReversed(), 999_999])]).toEqual(some);
  expect([...tables.entities(exhibit, [])]).toEqual([]);
  expect(some.some(({ data }) => (data.sections as unknown[]).length > 1)).toBe(true);
});

test('more rows than are read at once come in the order of their ids', async () => {
  const more =
    'WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 2499) ' +
    "INSERT INTO tags (id, document_id, label, published_at) SELECT i, 'tag' || i, 'label ' || i, 1600000000000 FROM n";
  const tables = await openTables(more);
  const ids = Array.from(tables.entities('api::tag.tag'), ({ id }) => id);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  expect(ids.filter((id) => id >= 1000)).toHaveLength(1500);
  expect(Array.from(tables.entities('api::tag.tag', ids), ({ id }) => id)).toEqual(ids);
});

test('versions have the time of the last update of each row', async () => {
  const tables = await openTables('UPDATE exhibits SET updated_at = NULL WHERE id = 3');
  const all = Array.from(tables.entities(exhibit), ({ id, data }) => ({
    id,
    updatedAt: data.updatedAt === null ? null : Date.parse(data.updatedAt as string),
  }));
  expect([...tables.versions(exhibit)]).toEqual(all);
  // private in the model, so it is not read
  expect(new Set(Array.from(tables.versions('api::part.part'), ({ updatedAt }) => updatedAt))).toEqual(new Set([null]));
});

test('links whose targets are missing are left out, as in an export', async () => {
  const before = await openTables();
  const after = await openTables(
    "INSERT INTO files_related_mph (file_id, related_id, related_type, field, \"order\") VALUES (1, 99999, 'api::exhibit.exhibit', 'photo', 1)",
    "INSERT INTO files_related_mph (file_id, related_id, related_type, field, \"order\") VALUES (1, 1, 'api::gone.gone', 'photo', 1)",
    "INSERT INTO files_related_mph (file_id, related_id, related_type, field, \"order\") VALUES (1, 1, 'api::exhibit.exhibit', 'gone', 1)",
    "INSERT INTO remarks_subjects_mph (remark_id, subjects_id, subjects_type) VALUES (1, 99999, 'api::tag.tag')",
    'PRAGMA foreign_keys = off',
    'INSERT INTO exhibits_tags_lnk (exhibit_id, tag_id, tag_ord) VALUES (99999, 1, 1)',
  );
  for (const attribute of ['related', 'subjects', 'tags']) {
    expect(linksOf(before, attribute).length).toBeGreaterThan(5);
    expect(linksOf(after, attribute)).toEqual(linksOf(before, attribute));
  }
});

test('components of another type than the attribute accepts are left out', async () => {
  const tables = await openTables(
    "UPDATE exhibits_cmps SET component_type = 'detail.honour' WHERE field = 'label'",
    "UPDATE exhibits_cmps SET component_type = component_type || '-gone' WHERE field = 'sections'",
  );
  for (const { data } of tables.entities(exhibit)) expect([data.label, data.sections]).toEqual([null, []]);
});
