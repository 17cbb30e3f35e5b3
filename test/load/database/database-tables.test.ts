/** Rows and links are read in parts as they are read whole, and what an export leaves out is left out. */
import sqlite from 'node-sqlite3-wasm';
import { expect, test } from 'vitest';
import type { Database } from '../../../src/load/database/database.ts';
import { type ContentTables, DatabaseTables } from '../../../src/load/database/database-tables.ts';
import { openDatabase } from '../../../src/load/database/sqlite/open-database.ts';
import { openProjectContent } from '../../../src/load/project/project-content.ts';
import { readStrapiProject } from '../../../src/load/project/project-folder.ts';
import { databaseOf, unpackProject } from '../project/recorded-projects.ts';

/** Opens the tables of the museum after some statements. */
async function openTables(...statements: string[]): Promise<ContentTables> {
  const folder = unpackProject('museum');
  const writer = new sqlite.Database(databaseOf(folder));
  for (const statement of statements) writer.run(statement);
  writer.close();
  const database = await openDatabase(databaseOf(folder));
  return (await openProjectContent(database, await readStrapiProject(folder, {}))).tables;
}

const exhibit = 'api::exhibit.exhibit';

async function flat<Item>(parts: AsyncIterable<readonly Item[]>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const part of parts) items.push(...part);
  return items;
}

async function linksOf(tables: ContentTables, attribute: string) {
  const found = tables.mapping.links.filter((table) => table.attribute === attribute);
  return (await Promise.all(found.map((table) => flat(tables.links(table))))).flat();
}

test('rows with given ids are those of the whole table, with their components', async () => {
  const tables = await openTables();
  const all = await flat(tables.entities(exhibit));
  const some = all.filter((_, index) => index % 3 === 0);
  const ids = some.map(({ id }) => id);
  expect(await flat(tables.entities(exhibit, [...ids.toReversed(), 999_999]))).toEqual(some);
  expect(await flat(tables.entities(exhibit, []))).toEqual([]);
  expect(some.some(({ data }) => (data.sections as unknown[]).length > 1)).toBe(true);
});

test('more rows than are read at once come in the order of their ids', async () => {
  const more =
    'WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 2499) ' +
    "INSERT INTO tags (id, document_id, label, published_at) SELECT i, 'tag' || i, 'label ' || i, 1600000000000 FROM n";
  const tables = await openTables(more);
  const ids = (await flat(tables.entities('api::tag.tag'))).map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  expect(ids.filter((id) => id >= 1000)).toHaveLength(1500);
  expect((await flat(tables.entities('api::tag.tag', ids))).map(({ id }) => id)).toEqual(ids);
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
    expect((await linksOf(before, attribute)).length).toBeGreaterThan(5);
    expect(await linksOf(after, attribute)).toEqual(await linksOf(before, attribute));
  }
});

test('components of another type than the attribute accepts are left out', async () => {
  const tables = await openTables(
    "UPDATE exhibits_cmps SET component_type = 'detail.honour' WHERE field = 'label'",
    "UPDATE exhibits_cmps SET component_type = component_type || '-gone' WHERE field = 'sections'",
  );
  for (const { data } of await flat(tables.entities(exhibit))) expect([data.label, data.sections]).toEqual([null, []]);
});

test('links are read in pages where a statement may return few rows', async () => {
  const folder = unpackProject('museum');
  const database = await openDatabase(databaseOf(folder));
  const project = await readStrapiProject(folder, {});
  const { tables } = await openProjectContent(database, project);
  const limited: Database = {
    dialect: { ...database.dialect, rowsPerStatement: 3 },
    parts: (sql, parameters) => database.parts(sql, parameters),
    all: (sql, parameters) => database.all(sql, parameters),
    close: () => database.close(),
  };
  const inPages = new DatabaseTables(limited, tables.mapping);
  let links = 0;
  for (const table of tables.mapping.links) {
    const whole = await flat(tables.links(table));
    expect(await flat(inPages.links(table))).toEqual(whole);
    links += whole.length;
  }
  expect(links).toBeGreaterThan(100);
});
