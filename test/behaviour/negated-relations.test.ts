// `$not` around a relation to many: no related entry makes the filter true. Only in the dialect `document`.
import { beforeAll, describe, expect, test } from 'vitest';
import { type Content, open } from '../../src/index.ts';
import { ask, idsOf, openGuide, sha256, thingSnapshot } from '../support/guide.ts';

const tokens = [
  { name: 'all', sha256: sha256('all'), type: 'full-access' as const },
  {
    name: 'narrow',
    sha256: sha256('narrow'),
    type: 'custom' as const,
    permissions: ['api::restaurant.restaurant.find'],
  },
];
const everyId = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 40];
const except = (...ids: number[]) => everyId.filter((id) => !ids.includes(id));

let document: Content;
let strapi: Content;
beforeAll(async () => {
  document = await openGuide({ tokens });
  strapi = await openGuide({ tokens, dialect: 'strapi' });
});
const restaurants = (content: Content, query: string) => idsOf(content, '/api/restaurants', `sort=id&${query}`);

/** Title, query, and the ids in the dialects `document` and `strapi`. */
const cases: [string, string, number[], number[]][] = [
  ['by an attribute', 'filters[$not][categories][rank]=3', except(4, 6, 8), [1, 2, 4, 5, 6, 9, 10, 13, 40]],
  ['by id', 'filters[$not][categories]=71', except(1, 4, 5, 9, 40), [1, 2, 4, 6, 7, 8, 9, 10, 13, 40]],
  ['by documentId', 'filters[$not][categories][documentId]=unused', everyId, [1, 2, 4, 5, 6, 7, 8, 9, 10, 13, 40]],
  [
    'a list of ids',
    'filters[$not][categories][0]=71&filters[$not][categories][1]=72',
    [3, 7, 8, 10, 11, 12],
    [4, 6, 7, 8, 9, 10, 13],
  ],
  ['twice', 'filters[$not][$not][categories][rank]=3', [4, 6, 8], [4, 6, 8]],
  [
    'all conditions of a group speak of one related entry',
    'filters[$not][categories][rank]=2&filters[$not][categories][name]=soup',
    everyId,
    [1, 2, 4, 5, 6, 7, 8, 9, 10, 13, 40],
  ],
  [
    'beside an own attribute: one of the two is not so',
    'filters[$not][seats][$lt]=40&filters[$not][categories][rank]=1',
    except(4, 5),
    [1, 2, 4, 6, 8, 9, 10, 13, 40],
  ],
  [
    'around $or: neither is so',
    'filters[$not][$or][0][vegan]=true&filters[$not][$or][1][categories][rank]=1',
    [2, 8, 11, 13],
    [2, 8, 13],
  ],
  ['around $ne: every related entry is so', 'filters[$not][categories][rank][$ne]=3', [3, 7, 8, 11, 12], [4, 6, 8]],
  ['around an inner $not', 'filters[$not][categories][$not][rank]=3', [3, 7, 8, 11, 12], [4, 6, 8]],
  ['around $notIn', 'filters[$not][categories][rank][$notIn][0]=3', [3, 7, 8, 11, 12], [4, 6, 8]],
  ['of $null: something is related', 'filters[$not][categories][$null]=true', except(3, 11, 12), except(3, 11, 12)],
  [
    'of a null value: neither a null value nor nothing is related',
    'filters[$not][categories][rank][$null]=true',
    [1, 2, 5, 6, 8, 10, 13, 40],
    [1, 2, 4, 5, 6, 8, 9, 10, 13, 40],
  ],
  [
    'through a relation to one: the one has none, or there is no one',
    'filters[$not][chef][restaurants][categories][rank]=3',
    [3, 5, 7, 8, 9, 11, 12, 40],
    [1, 2, 4, 5, 6, 7, 9, 10, 13],
  ],
  ['through two relations to many', 'filters[$not][categories][restaurants]=8', except(4, 6, 8), except(3, 11, 12)],
  [
    'inside a relation to many, around another',
    'filters[categories][$not][restaurants]=8',
    except(8),
    [1, 2, 4, 5, 6, 7, 8, 9, 10, 13, 40],
  ],
  ['around and inside', 'filters[$not][categories][$not][restaurants]=8', [8], [4, 6, 8]],
  ['a relation to one', 'filters[$not][chef][name]=Ada', [2, 5, 6, 7, 9, 13], [2, 5, 6, 7, 9, 13]],
];

describe.each(cases)('%s: %s', (_title, query, inDocument, inStrapi) => {
  test('document', async () => expect(await restaurants(document, query)).toEqual(inDocument));
  test('strapi', async () => expect(await restaurants(strapi, query)).toEqual(inStrapi));
});

test('only related entries of the requested status and locale count', async () => {
  const articles = (query: string) => idsOf(document, '/api/articles', `sort=id&${query}`, 'all');
  expect(await articles('filters[$not][related][title]=First')).toEqual([2, 10]);
  // the fifth article is related to the third, of which there is only a draft
  expect(await articles('filters[$not][related][title]=Third')).toEqual([2, 6, 10]);
  expect(await articles('filters[$not][related][title][$startsWith]=First&status=draft')).toEqual([1]);
  expect(await articles('filters[$not][related][title]=Premier&locale=fr')).toEqual([4]);
  expect(await articles('filters[$not][related][title]=Premier&locale=*')).toEqual([2, 4, 6, 10]);
});

test('negation works in the filters of a populated relation', async () => {
  const query = 'populate[restaurants][filters][$not][categories][rank]=3&sort=id&populate[restaurants][sort]=id';
  const { body } = await ask(document, '/api/chefs', query);
  const ids = (body.data as any[]).map(({ restaurants }) => restaurants.data.map(({ id }: { id: number }) => id));
  expect(ids).toEqual([[1, 10], [2, 13], [5, 7], [9], [11]]);
});

test('a relation that the caller may not read is rejected', async () => {
  const { status, body } = await ask(document, '/api/restaurants', 'filters[$not][categories][rank]=3', {
    token: 'narrow',
  });
  expect(status).toBe(400);
  expect(body.error?.message).toBe('Invalid key categories: there is no such attribute');
});

test('a prepared query takes the operands of each request', async () => {
  for (let round = 0; round < 2; round++) {
    expect(await restaurants(document, 'filters[$not][categories][rank]=3')).toEqual(except(4, 6, 8));
    expect(await restaurants(document, 'filters[$not][categories][rank]=2')).toEqual(except(1, 2, 6, 13, 40));
  }
});

test('the library accepts negated relations', () => {
  const { data } = document.find('restaurants', { filters: { $not: { categories: { rank: 3 } } }, sort: 'id' });
  expect((data as { id: number }[]).map(({ id }) => id)).toEqual(except(4, 6, 8));
});

test('negation is tested row by row beside a condition that few rows match', async () => {
  const links = (i: number) => (i % 2 === 0 ? ['thing-0'] : []);
  const things = Array.from({ length: 2000 }, (_, i) => ({ documentId: `thing-${i}`, number: i, things: links(i) }));
  const attributes = {
    number: { type: 'integer' },
    things: { type: 'relation', relation: 'manyToMany', target: 'api::thing.thing' },
  };
  const content = await open(thingSnapshot(attributes, things));
  const numbers = (query: object) => (content.find('things', query).data as any[]).map(({ number }) => number);
  expect(numbers({ filters: { number: { $in: [3, 4, 5] }, $not: { things: { number: 0 } } } })).toEqual([3, 5]);
  expect(numbers({ filters: { number: { $lt: 1900 }, $not: { things: { number: 0 } } } }).length).toBe(25);
  // going back from all rows that the inner $not leaves takes more than this
  const narrow = await open(thingSnapshot(attributes, things), { budgets: { steps: 20_000 } });
  expect(narrow.find('things', { filters: { things: { number: 1 } } }).data).toEqual([]);
  expect(() => narrow.find('things', { filters: { things: { $not: { things: { number: 1 } } } } })).toThrow('steps');
  const { meta } = content.find('things', { filters: { $not: { things: { number: 0 } } } });
  expect((meta as any).pagination.total).toBe(1000);
});
