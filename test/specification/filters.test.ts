// Section 4.2 of the specification, row by row and rule by rule, in the dialect `document`.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { ask, expectInvalidKey, idsOf, openGuide } from '../support/guide.ts';

let content: Content;
beforeAll(async () => {
  content = await openGuide();
});

/**
 * Restaurants by seats: 3: -5, 2: 0, 8: 7, 4 and 5: 12, 1 and 9: 40, 40: 41, 6: 100, 10: 250, 13: 2^31; 7, 11, 12:
 * null.
 */
const rows: [operator: string, meaning: string, query: string, ids: number[]][] = [
  ['$eq', 'equal', 'filters[seats][$eq]=40', [1, 9]],
  ['$eqi', 'equal, case-insensitive', 'filters[name][$eqi]=Strasse', [2]],
  ['$ne', 'not equal', 'filters[seats][$ne]=40', [2, 3, 4, 5, 6, 8, 10, 13, 40]],
  ['$nei', 'not equal, case-insensitive', 'filters[price][$nei]=MID', [2, 3, 4, 7, 10, 11, 13]],
  ['$lt', 'less than', 'filters[seats][$lt]=7', [2, 3]],
  ['$lte', 'less than or equal to', 'filters[seats][$lte]=7', [2, 3, 8]],
  ['$gt', 'greater than', 'filters[seats][$gt]=100', [10, 13]],
  ['$gte', 'greater than or equal to', 'filters[seats][$gte]=100', [6, 10, 13]],
  ['$in', 'included in an array', 'filters[seats][$in][0]=7&filters[seats][$in][1]=12', [4, 5, 8]],
  ['$notIn', 'not included in an array', 'filters[price][$notIn][0]=mid&filters[price][$notIn][1]=low', [3, 4, 10, 13]],
  ['$contains', 'contains', 'filters[name][$contains]=stan', [4, 5]],
  ['$notContains', 'does not contain', 'filters[contact][$notContains]=example.org', [1, 2, 4, 9]],
  ['$containsi', 'contains, case-insensitive', 'filters[name][$containsi]=STRA', [2, 3]],
  ['$notContainsi', 'does not contain, case-insensitive', 'filters[price][$notContainsi]=I', [2, 4, 7, 10, 11]],
  ['$null', 'is null', 'filters[seats][$null]=true', [7, 11, 12]],
  ['$notNull', 'is not null', 'filters[contact][$notNull]=true', [1, 2, 4, 6, 8, 9, 13]],
  ['$between', 'is between', 'filters[seats][$between][0]=12&filters[seats][$between][1]=41', [1, 4, 5, 9, 40]],
  ['$startsWith', 'starts with', 'filters[name][$startsWith]=st', [3]],
  ['$startsWithi', 'starts with, case-insensitive', 'filters[name][$startsWithi]=St', [2, 3]],
  ['$endsWith', 'ends with', 'filters[name][$endsWith]=SE', [2]],
  ['$endsWithi', 'ends with, case-insensitive', 'filters[name][$endsWithi]=Rye', [6]],
  ['$or', 'joins in an "or" expression', 'filters[$or][0][seats]=0&filters[$or][1][seats]=250', [2, 10]],
  ['$and', 'joins in an "and" expression', 'filters[$and][0][seats]=12&filters[$and][1][vegan]=true', [4]],
  ['$not', 'joins in a "not" expression', 'filters[$not][seats][$gt]=0', [2, 3]],
];

describe('4.2 table', () => {
  test.each(rows)('4.2 %s: %s', async (_operator, _meaning, query, ids) => {
    expect(await idsOf(content, '/api/restaurants', `${query}&sort=id`)).toEqual(ids);
  });
});

test('4.2 rule 1: several fields are combined with $and', async () => {
  const { body } = await ask(
    content,
    '/api/restaurants',
    'filters[seats][$gte]=12&filters[vegan][$eq]=false&fields[0]=seats&fields[1]=vegan&sort=id',
  );
  expect(body).toEqual({
    data: [
      { id: 5, documentId: 'istanbul', seats: 12, vegan: false },
      { id: 13, documentId: 'ligature', seats: 2147483648, vegan: false },
    ],
    meta: { pagination: { page: 1, pageSize: 25, pageCount: 1, total: 2 } },
  });
});

test('4.2 rule 2: $and, $or and $not nest inside one another', async () => {
  const query = [
    'filters[$or][0][$and][0][$not][price]=mid&filters[$or][0][$and][1][vegan]=true',
    'filters[$or][1][$not][$or][0][seats][$lt]=100&filters[$or][1][$not][$or][1][price]=luxury',
    'fields=name&sort=id',
  ].join('&');
  const { body } = await ask(content, '/api/restaurants', query);
  expect(body.data).toEqual([
    { id: 4, documentId: 'istanbul-dotted', name: 'İstanbul' },
    { id: 6, documentId: 'rye', name: '100% rye' },
    { id: 10, documentId: 'slice', name: '🍕 slice' },
    { id: 13, documentId: 'ligature', name: '\ufb01sh' },
  ]);
});

test('4.2 rule 3: array operators take indexed values', async () => {
  const { body } = await ask(
    content,
    '/api/restaurants',
    'filters[id][$in][0]=40&filters[id][$in][1]=2&filters[id][$in][2]=999&fields=slug&sort=id',
  );
  expect(body.data).toEqual([
    { id: 2, documentId: 'strasse', slug: 'strasse' },
    { id: 40, documentId: 'cafe', slug: 'cafe' },
  ]);
});

test('4.2 rule 4: logical operators take indexed groups', async () => {
  const query = [
    'filters[$and][0][$or][0][price][$eq]=low&filters[$and][0][$or][1][price][$eq]=luxury',
    'filters[$and][1][chef][name][$eq]=Ada&fields=price&sort=id',
  ].join('&');
  const { body } = await ask(content, '/api/restaurants', query);
  expect(body.data).toEqual([
    { id: 4, documentId: 'istanbul-dotted', price: 'luxury' },
    { id: 10, documentId: 'slice', price: 'luxury' },
  ]);
});

test('4.2 rule 5: a filter traverses relations, and they are not part of the response', async () => {
  const { body } = await ask(content, '/api/restaurants', 'filters[chef][mentor][name][$eq]=bo&fields=name&sort=id');
  expect(body.data).toEqual([
    { id: 5, documentId: 'istanbul', name: 'istanbul' },
    { id: 7, documentId: 'under', name: 'under_score' },
  ]);
});

test('4.2 rule 5: the traversed relation is part of the response when it is populated', async () => {
  const query = 'filters[mentor][stars][$eq]=2&fields=name&populate[mentor][fields]=name';
  expect((await ask(content, '/api/chefs', query)).body.data).toEqual([
    { id: 53, documentId: 'cy', name: 'Cy', mentor: { id: 52, documentId: 'bo', name: 'bo' } },
  ]);
});

test.each([
  ['media', '/api/restaurants', 'filters[cover][name]=x', 'cover'],
  ['media, several', '/api/restaurants', 'filters[gallery][mime]=x', 'gallery'],
  ['a media key itself', '/api/restaurants', 'filters[cover][$null]=true', 'cover'],
  ['dynamic zones', '/api/restaurants', 'filters[sections][heading]=x', 'sections'],
  ['polymorphic relations', '/api/bookmarks', 'filters[target][name]=x', 'target'],
  ['polymorphic relations, several', '/api/bookmarks', 'filters[targets][name]=x', 'targets'],
])('4.2 rule 6: filters cannot be applied to polymorphic structures: %s', async (_title, path, query, key) => {
  const { status, body } = await ask(content, path, query);
  expect(status).toBe(400);
  expect(body.data).toBeNull();
  expect(body.error).toMatchObject({ status: 400, name: 'ValidationError' });
  expect(body.error?.message).toContain(key);
});

test('4.2 rule 6: filtering what is populated is supported', async () => {
  const query =
    'filters[id]=51&fields=name&populate[restaurants][filters][seats][$lt]=100&populate[restaurants][fields]=seats';
  expect((await ask(content, '/api/chefs', query)).body.data).toEqual([
    {
      id: 51,
      documentId: 'ada',
      name: 'Ada',
      restaurants: {
        data: [
          { id: 1, documentId: 'lodz-cafe', seats: 40 },
          { id: 4, documentId: 'istanbul-dotted', seats: 12 },
        ],
      },
    },
  ]);
});

test('4.2 rule 6: filtering nested relations is supported', async () => {
  const query = [
    'filters[id]=1&fields=name&populate[chef][fields]=name',
    'populate[chef][populate][mentees][fields]=name&populate[chef][populate][mentees][filters][stars][$gt]=0',
  ].join('&');
  expect((await ask(content, '/api/restaurants', query)).body.data).toEqual([
    {
      id: 1,
      documentId: 'lodz-cafe',
      name: 'Łódź café',
      chef: { id: 51, documentId: 'ada', name: 'Ada', mentees: { data: [{ id: 52, documentId: 'bo', name: 'bo' }] } },
    },
  ]);
});

test('4.2 rule 7: a deep filter is answered, however deep', async () => {
  const query = 'filters[categories][restaurants][chef][mentees][restaurants][categories][name]=fish&sort=id';
  // Fish: restaurants 4, 7, 9 of chefs ada, cy, dee, who are mentees of bo and ada; the restaurants of these two, 1, 4,
  // 10 and 2, 6, 13, are in every category; so each restaurant with a category matches.
  expect(await idsOf(content, '/api/restaurants', query)).toEqual([1, 2, 4, 5, 6, 7, 8, 9, 10, 13, 40]);
});

test('4.2 rule 8: a string with a space is URL-encoded, as %20 or as +', async () => {
  for (const name of ['100%25%20rye', '100%25+rye']) {
    const reply = await content.answer(`/api/restaurants?fields=name&filters[name][$eq]=${name}`);
    expect(JSON.parse(reply.body.toString()).data, name).toEqual([{ id: 6, documentId: 'rye', name: '100% rye' }]);
  }
});

test('4.2 rule 8: brackets and dollars may be encoded too', async () => {
  const reply = await content.answer('/api/restaurants?fields=name&filters%5Bname%5D%5B%24eq%5D=stra%C3%9Fe');
  expect(JSON.parse(reply.body.toString()).data).toEqual([{ id: 3, documentId: 'strasze', name: 'straße' }]);
});

test('4.2 a field or an operator that does not exist is a 400 that names it', async () => {
  const field = await ask(content, '/api/restaurants', 'filters[nope][$eq]=1');
  expectInvalidKey('document', field, 'filters', 'nope', null, '');
  const operator = await ask(content, '/api/restaurants', 'filters[name][$foo]=1');
  expectInvalidKey('document', operator, 'filters', '$foo', 'name', '');
});
