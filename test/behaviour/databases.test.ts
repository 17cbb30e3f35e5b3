/** What the database of the setting `database` decides: the place of nulls, the case of texts, numbers and JSON as text. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ConfigError, type Content, open } from '../../src/index.ts';
import { imageContentOf } from '../../src/load/image/load-image.ts';
import { writeImage } from '../../src/load/image/write-image.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { idsOf } from '../support/guide.ts';
import { makeImageFolder, newPath } from '../support/images.ts';

makeImageFolder();

const attributes = {
  name: { type: 'string' },
  price: { type: 'float' },
  count: { type: 'integer' },
  open: { type: 'boolean' },
  at: { type: 'datetime' },
  hour: { type: 'time' },
  facts: { type: 'json' },
  parent: { type: 'relation', relation: 'manyToOne', target: 'api::thing.thing' },
};
const snapshot = {
  contentTypes: [{ info: { singularName: 'thing', pluralName: 'things', displayName: 'Thing' }, attributes }],
  entries: {
    thing: [
      { documentId: 'a', id: 1, name: 'Ärger', price: 5, count: 5, facts: { unit: 'CM', size: [1, 2] } },
      { documentId: 'b', id: 2, name: 'ärger', price: 3.5, open: true, hour: '07:08:09', facts: 'bare', parent: 'a' },
      { documentId: 'c', id: 3, name: 'BÄR', price: 0.30000000000000004, at: '2026-01-05T10:30:00.000Z', parent: 'd' },
      { documentId: 'd', id: 4, count: 50, open: false, facts: { size: 3 } },
      { documentId: 'e', id: 5, name: 'bärB', price: 1e21, facts: 12, parent: 'b' },
    ],
  },
};

const databases = ['postgres', 'sqlite', 'mysql'] as const;
const contents = {} as Record<(typeof databases)[number], Content>;
beforeAll(async () => {
  for (const database of databases) {
    contents[database] = await open(snapshot as never, { dialect: 'strapi', public: true, database });
  }
});

const cases: [query: string, postgres: number[] | null, sqlite: number[]][] = [
  ['sort=name', [3, 5, 1, 2, 4], [4, 3, 5, 1, 2]],
  ['sort=name:desc', [4, 2, 1, 5, 3], [2, 1, 5, 3, 4]],
  ['sort=count,price:desc', [1, 4, 5, 2, 3], [5, 2, 3, 1, 4]],
  ['sort=parent.name', [2, 5, 1, 3, 4], [1, 3, 4, 2, 5]],
  ['sort=parent.name:desc', [1, 3, 4, 5, 2], [5, 2, 1, 3, 4]],
  ['filters[name][$contains]=RG', [], [1, 2]],
  ['filters[name][$notContains]=RG', [1, 2, 3, 5], [3, 5]],
  ['filters[name][$contains]=%C3%84', [1, 3], [1, 3]],
  ['filters[name][$containsi]=%C3%84', [1, 2, 3, 5], [1, 3]],
  ['filters[name][$startsWith]=b', [5], [3, 5]],
  ['filters[name][$startsWithi]=%C3%A4R', [1, 2], [2]],
  ['filters[name][$endsWith]=b', [], [5]],
  ['filters[name][$endsWithi]=%C3%84R', [3], [3]],
  ['filters[name][$eqi]=%C3%84RGER', [1, 2], [1]],
  ['filters[name][$nei]=%C3%84RGER', [3, 5], [2, 3, 5]],
  ['filters[name][$eq]=b%C3%A4rb', [], []],
  ['filters[name][$lt]=a', [3], [3]],
  ['filters[price][$containsi]=.0', [], [1, 5]],
  ['filters[price][$eqi]=5', [1], []],
  ['filters[price][$eqi]=5.0', [], [1]],
  ['filters[price][$eqi]=0.3', [], [3]],
  ['filters[price][$endsWithi]=E%2B21', [5], [5]],
  ['filters[count][$containsi]=5', [1, 4], [1, 4]],
  ['filters[open][$containsi]=1', [], [2]],
  ['filters[open][$containsi]=tru', [2], []],
  ['filters[at][$containsi]=10:30', [3], []],
  ['filters[at][$startsWithi]=17676', [], [3]],
  ['filters[hour][$containsi]=09.000', [], [2]],
  ['filters[facts][$contains]=cm', null, [1]],
  ['filters[facts][$containsi]="size":[1,2]', [], [1]],
  ['filters[facts][$eq]={"size":3}', [4], [4]],
  ['filters[facts][$eq]={"size": 3}', [4], []],
  ['filters[facts][$eq]=bare', null, [2]],
  ['filters[facts][$startsWith]=BA', null, [2]],
  ['filters[facts][$gt]=a', null, [1, 2, 4]],
  ['sort=facts', [1, 2, 4, 5, 3], [3, 5, 2, 4, 1]],
  ['filters[id][$gt]=x', null, []],
  ['filters[id][$lt]=x', null, [1, 2, 3, 4, 5]],
  ['filters[id][$in][0]=x&filters[id][$in][1]=2', null, [2]],
  ['filters[parent][$ne]=x', null, [2, 3, 5]],
  ['_q=%C3%84r', [1, 2, 3, 5], [1, 3]],
  ['_q=R_e', [1, 2], [1, 2]],
  ['_q=.0', [], [1, 5]],
];

describe.each(['postgres', 'sqlite'] as const)('by the rules of %s', (database) => {
  test.each(cases)('%s', async (query, ofPostgres, ofSqlite) => {
    const expected = database === 'sqlite' ? ofSqlite : ofPostgres;
    const content = contents[database];
    if (expected === null) expect((await content.answer(`/api/things?${query}`)).status).toBe(400);
    else expect(await idsOf(content, '/api/things', `fields=id&${query}`)).toEqual(expected);
  });
});

const mysqlCases: [query: string, ids: number[]][] = [
  ['sort=name', [4, 1, 2, 3, 5]],
  ['sort=name:desc', [5, 3, 1, 2, 4]],
  ['sort=parent.name', [1, 3, 4, 2, 5]],
  ['filters[name][$eq]=ARGER', [1, 2]],
  ['filters[name][$in][0]=arger&filters[name][$in][1]=Barb', [1, 2, 5]],
  ['filters[name][$ne]=arger', [3, 5]],
  ['filters[name][$eqi]=%C3%84RGER', [1, 2]],
  ['filters[name][$nei]=arger', [3, 5]],
  ['filters[name][$lt]=b', [1, 2]],
  ['filters[name][$between][0]=bar&filters[name][$between][1]=BARB', [3, 5]],
  ['filters[name][$contains]=RG', [1, 2]],
  ['filters[name][$notContains]=RG', [3, 5]],
  ['filters[name][$containsi]=%C3%84r', [1, 2, 3, 5]],
  ['filters[name][$startsWith]=bar', [3, 5]],
  ['filters[name][$startsWithi]=AR', [1, 2]],
  ['filters[name][$endsWith]=RB', [5]],
  ['filters[name][$endsWithi]=ar', [3]],
  ['filters[parent][name]=arger', [2, 5]],
  ['filters[documentId]=A', [1]],
  ['filters[price][$eqi]=5', [1]],
  ['filters[price][$containsi]=1E21', [5]],
  ['filters[price][$startsWithi]=0.3000', [3]],
  ['filters[open][$containsi]=1', [2]],
  ['filters[at][$endsWithi]=10:30:00.000000', [3]],
  ['filters[hour][$containsi]=09.000', [2]],
  ['filters[facts][$contains]="unit": "CM"', [1]],
  ['filters[facts][$contains]=cm', []],
  ['filters[facts][$containsi]=cm', [1]],
  ['filters[id][$gt]=x', [1, 2, 3, 4, 5]],
  ['filters[id][$lt]=3x', [1, 2]],
  ['filters[id][$in][0]=x&filters[id][$in][1]=2', [2]],
  ['_q=ar', [1, 2, 3, 5]],
  ['_q=R_E', [1, 2]],
];

describe('by the rules of mysql', () => {
  test.each(mysqlCases)('%s', async (query, ids) => {
    expect(await idsOf(contents.mysql, '/api/things', `fields=id&${query}`)).toEqual(ids);
  });

  test('content that does not name a collation has that of a new database', () => {
    expect(contents.mysql.summary).toMatchObject({ database: 'mysql', collation: 'utf8mb4_0900_ai_ci' });
  });

  test.each([
    ['utf8mb4_bin', [2, 5], [5]],
    ['utf8mb4_0900_as_cs', [2, 5], [5]],
    ['utf8mb4_0900_as_ci', [1, 2, 3, 5], [3, 5]],
    ['utf8mb4_general_ci', [1, 2, 3, 5], [3, 5]],
    ['utf8mb4_swedish_ci', [1, 2, 3, 5], [3, 5]],
  ])('the case of texts with the collation %s', async (collation, withUmlaut, withB) => {
    const mysql = { collation, hasJson: false };
    const loaded = await loadSnapshot(snapshot as never, { dialect: 'strapi', database: 'mysql', mysql });
    const path = newPath();
    await writeImage(path, imageContentOf(loaded));
    const content = await open(path, { public: true });
    expect(content.summary).toMatchObject({ database: 'mysql', collation, warnings: [] });
    expect(await idsOf(content, '/api/things', 'fields=id&filters[name][$contains]=%C3%A4r')).toEqual(withUmlaut);
    expect(await idsOf(content, '/api/things', 'fields=id&filters[name][$startsWith]=b')).toEqual(withB);
  });

  test('an image keeps them, and other rules can be derived in either direction', async () => {
    const path = newPath();
    await writeImage(
      path,
      imageContentOf(await loadSnapshot(snapshot as never, { dialect: 'strapi', database: 'mysql' })),
    );
    const kept = await open(path, { public: true });
    expect(kept.summary).toMatchObject({ database: 'mysql', warnings: [] });
    for (const [query, ids] of mysqlCases) {
      expect(await idsOf(kept, '/api/things', `fields=id&${query}`), query).toEqual(ids);
    }
    const other = await open(path, { public: true, database: 'postgres' });
    for (const [query, ofPostgres] of cases) {
      if (ofPostgres === null) continue;
      expect(await idsOf(other, '/api/things', `fields=id&${query}`), query).toEqual(ofPostgres);
    }
    const older = newPath();
    await writeImage(older, imageContentOf(await loadSnapshot(snapshot as never, { dialect: 'strapi' })));
    const derived = await open(older, { public: true, database: 'mysql' });
    expect(derived.summary.warnings.map(({ kind }) => kind)).toEqual(['other-dialect']);
    for (const [query, ids] of mysqlCases) {
      expect(await idsOf(derived, '/api/things', `fields=id&${query}`), query).toEqual(ids);
    }
  });
});

test('only one of the databases is accepted', async () => {
  const opened = open(snapshot as never, { database: 'oracle' as never });
  await expect(opened).rejects.toThrow('database: must be postgres or sqlite or mysql, is "oracle"');
  await expect(opened).rejects.toBeInstanceOf(ConfigError);
});

test('a plan names the rules of SQLite', () => {
  const url = '/api/things?filters[name][$contains]=R&sort=name';
  const bySqlite = contents.sqlite.explain(url);
  expect(bySqlite.plan).toContain('name $containsi of SQLite "R"');
  expect(bySqlite.page).toMatch(/by name ascending, nulls first$/);
  const byPostgres = contents.postgres.explain(url);
  expect(byPostgres.plan).toContain('name $contains "R"');
  expect(byPostgres.page).toMatch(/by name ascending$/);
});

test('an image keeps its rules, unless the setting names others', async () => {
  const path = newPath();
  await writeImage(
    path,
    imageContentOf(await loadSnapshot(snapshot as never, { dialect: 'strapi', database: 'sqlite' })),
  );
  const kept = await open(path, { public: true });
  expect(kept.summary).toMatchObject({ database: 'sqlite', warnings: [] });
  const other = await open(path, { public: true, database: 'postgres' });
  expect(other.summary.database).toBe('postgres');
  expect(other.summary.warnings.map(({ kind }) => kind)).toEqual(['other-dialect']);
  for (const [query, ofPostgres, ofSqlite] of cases) {
    if (ofPostgres === null) continue;
    expect(await idsOf(kept, '/api/things', `fields=id&${query}`), query).toEqual(ofSqlite);
    expect(await idsOf(other, '/api/things', `fields=id&${query}`), query).toEqual(ofPostgres);
  }
});
