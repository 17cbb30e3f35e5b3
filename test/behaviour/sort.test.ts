// "Sort and pagination" of the behaviour page: the sort. It is the same in both dialects.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { ask, expectInvalidKey, idsOf, openGuide } from '../support/guide.ts';

let content: Content;
beforeAll(async () => {
  content = await openGuide();
});
const restaurants = (query: string) => idsOf(content, '/api/restaurants', `fields=id&${query}`);

test('entries are sorted by ascending id by default', async () => {
  expect(await restaurants('pagination[page]=1')).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 40]);
});

describe('every attribute type sorts nulls last ascending and first descending, ties by ascending id', () => {
  test.each<[attribute: string, ascending: number[], descending: number[]]>([
    ['name', [11, 6, 9, 2, 8, 40, 5, 3, 7, 4, 1, 13, 10, 12], [12, 10, 13, 1, 4, 7, 3, 5, 40, 8, 2, 9, 6, 11]],
    ['price', [3, 13, 2, 7, 11, 4, 10, 1, 6, 9, 40, 5, 8, 12], [5, 8, 12, 1, 6, 9, 40, 4, 10, 2, 7, 11, 3, 13]],
    ['contact', [13, 2, 8, 4, 1, 9, 6, 3, 5, 7, 10, 11, 12, 40], [3, 5, 7, 10, 11, 12, 40, 6, 9, 1, 4, 8, 2, 13]],
    ['opened', [7, 4, 1, 40, 2, 3, 13, 6, 9, 8, 10, 5, 11, 12], [5, 11, 12, 10, 8, 6, 9, 13, 2, 3, 40, 1, 4, 7]],
    ['kitchenOpens', [4, 1, 9, 13, 8, 7, 6, 10, 3, 2, 5, 11, 12, 40], [5, 11, 12, 40, 2, 3, 10, 6, 7, 8, 13, 1, 9, 4]],
    ['inspectedAt', [4, 6, 13, 1, 9, 3, 8, 5, 10, 2, 7, 11, 12, 40], [2, 7, 11, 12, 40, 10, 5, 8, 3, 1, 9, 13, 6, 4]],
    ['stampedAt', [4, 3, 13, 6, 1, 9, 5, 10, 2, 7, 8, 11, 12, 40], [2, 7, 8, 11, 12, 40, 10, 5, 1, 9, 6, 13, 3, 4]],
    ['seats', [3, 2, 8, 4, 5, 1, 9, 40, 6, 10, 13, 7, 11, 12], [7, 11, 12, 13, 10, 6, 40, 1, 9, 4, 5, 8, 2, 3]],
    ['visits', [7, 3, 6, 8, 10, 13, 2, 1, 9, 4, 5, 11, 12, 40], [5, 11, 12, 40, 4, 1, 9, 2, 13, 10, 8, 6, 3, 7]],
    ['score', [3, 8, 13, 2, 7, 4, 9, 1, 6, 40, 10, 5, 11, 12], [5, 11, 12, 10, 40, 1, 6, 9, 4, 7, 2, 13, 8, 3]],
    ['tax', [3, 10, 7, 2, 8, 1, 6, 9, 4, 13, 5, 11, 12, 40], [5, 11, 12, 40, 13, 4, 9, 1, 6, 8, 2, 7, 10, 3]],
    ['vegan', [2, 5, 8, 11, 13, 1, 4, 6, 9, 10, 3, 7, 12, 40], [3, 7, 12, 40, 1, 4, 6, 9, 10, 2, 5, 8, 11, 13]],
    ['id', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 40], [40, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]],
    ['createdAt', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 40], [40, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]],
  ])('%s', async (attribute, ascending, descending) => {
    expect(await restaurants(`sort=${attribute}`)).toEqual(ascending);
    expect(await restaurants(`sort=${attribute}:asc`)).toEqual(ascending);
    expect(await restaurants(`sort=${attribute}:desc`)).toEqual(descending);
    expect(await restaurants(`sort=${attribute}:DESC`)).toEqual(descending);
  });
});

test.each([
  'sort=price,name:desc',
  'sort=price:asc,name:DESC',
  'sort[0]=price&sort[1]=name:desc',
  'sort[]=price&sort[]=name:desc',
  'sort=price&sort=name:desc',
  'sort[0][price]=asc&sort[1][name]=desc',
  'sort[price]=asc&sort[name]=desc',
])('two keys, in every shape: %s', async (query) => {
  expect(await restaurants(query)).toEqual([13, 3, 7, 2, 11, 10, 4, 1, 40, 9, 6, 12, 5, 8]);
});

test('an explicit id precedes the implicit one', async () => {
  expect(await restaurants('sort=vegan,id:desc')).toEqual([13, 11, 8, 5, 2, 10, 9, 6, 4, 1, 40, 12, 7, 3]);
});

test('a sort may follow to-one relations', async () => {
  const ascending = [1, 4, 10, 5, 7, 9, 2, 6, 13, 3, 8, 11, 12, 40];
  expect(await restaurants('sort=chef.name')).toEqual(ascending);
  expect(await restaurants('sort[chef][name]=asc')).toEqual(ascending);
  expect(await restaurants('sort[0][chef][name]=asc')).toEqual(ascending);
  expect(await restaurants('sort=chef.name:desc')).toEqual([3, 8, 11, 12, 40, 2, 6, 13, 9, 5, 7, 1, 4, 10]);
  expect(await restaurants('sort=chef.mentor.name')).toEqual([2, 6, 9, 13, 5, 7, 1, 3, 4, 8, 10, 11, 12, 40]);
});

test('a sort may follow components', async () => {
  expect(await restaurants('sort=address.city')).toEqual([2, 3, 4, 1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 40]);
  expect(await restaurants('sort=address.geo.lat:desc')).toEqual([2, 4, 5, 6, 7, 8, 10, 11, 12, 13, 40, 1, 9, 3]);
});

test('a sort through a to-many relation returns each entry once, at the first position of its related values', async () => {
  expect(await restaurants('sort=categories.rank')).toEqual([10, 13, 1, 4, 5, 9, 40, 2, 6, 8, 3, 7, 11, 12]);
  expect(await restaurants('sort=categories.rank:desc')).toEqual([3, 4, 7, 9, 11, 12, 6, 8, 1, 2, 13, 40, 5, 10]);
  const { body } = await ask(content, '/api/restaurants', 'sort=categories.rank&fields=id&pagination[pageSize]=3');
  expect(body.meta).toEqual({ pagination: { page: 1, pageSize: 3, pageCount: 5, total: 14 } });
});

test('a sort may follow a repeatable component', async () => {
  expect((await restaurants('sort=openings.opens')).slice(0, 4)).toEqual([1, 6, 4, 2]);
  expect((await restaurants('sort=openings.opens:desc')).slice(-3)).toEqual([4, 6, 1]);
});

test('pages do not overlap and together are the whole list', async () => {
  for (const sort of ['sort=vegan', 'sort=price:desc', 'sort=chef.stars', 'sort=categories.rank', '']) {
    const whole = await restaurants(`${sort}&pagination[pageSize]=100`);
    expect(new Set(whole).size).toBe(14);
    const pages = await Promise.all(
      [1, 2, 3, 4, 5].map((page) => restaurants(`${sort}&pagination[page]=${page}&pagination[pageSize]=3`)),
    );
    expect(pages.flat(), sort).toEqual(whole);
  }
});

test('blanks around names and orders are left out', async () => {
  expect(await restaurants('sort= vegan : desc , name')).toEqual(await restaurants('sort=vegan:desc,name'));
});

test('an order other than asc and desc is an error', async () => {
  const { status, body } = await ask(content, '/api/restaurants', 'sort=name:up');
  expect(status).toBe(400);
  expect(body.error).toEqual({
    status: 400,
    name: 'ValidationError',
    message: 'Invalid value "name:up" for sort at name: expected one order, asc or desc',
    details: { key: 'name', path: 'name', source: 'query', param: 'sort', value: 'name:up' },
  });
  const recorded = await ask(await openGuide({ dialect: 'strapi' }), '/api/restaurants', 'sort=name:up');
  expect(recorded.body.error).toEqual({
    status: 400,
    name: 'ValidationError',
    message: 'Invalid order. order can only be one of asc|desc|ASC|DESC',
    details: {},
  });
});

test.each<[title: string, query: string, key: string, path: string | null]>([
  ['an unknown field', 'sort=nope', 'nope', null],
  ['a password', 'sort=pin', 'pin', 'pin'],
  ['a private field', 'sort=secretNote:desc', 'secretNote', 'secretNote'],
])('Invalid key: %s', async (_title, query, key, path) => {
  expectInvalidKey('document', await ask(content, '/api/restaurants', query), 'sort', key, path, `Invalid key ${key}`);
  const strapi = await openGuide({ dialect: 'strapi' });
  expectInvalidKey('strapi', await ask(strapi, '/api/restaurants', query), 'sort', key, path, `Invalid key ${key}`);
});

test('a list may mix objects and text', async () => {
  const query = 'sort[0][chef][name]=desc&sort[1]=id';
  const { body } = await ask(content, '/api/restaurants', query);
  expect(body.error!.details).toMatchObject({ key: 'sort', path: null, param: 'sort', value: [{}, 'id'] });
  const strapi = await openGuide({ dialect: 'strapi' });
  expectInvalidKey('strapi', await ask(strapi, '/api/restaurants', query), 'sort', '0', null, 'Invalid key 0');
});

test.each([
  ['an unknown field of a relation', 'sort=chef.nope', 'nope'],
  ['a type that the role may not read', 'sort=licence.number', 'licence'],
  ['a dynamic zone', 'sort=sections.heading', 'sections'],
  ['a password of a related entry', 'sort=nearby.pin', 'pin'],
])('an invalid sort is rejected with the key in the details: %s', async (_title, query, key) => {
  const { status, body } = await ask(content, '/api/restaurants', query);
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ name: 'ValidationError', details: { key, source: 'query', param: 'sort' } });
});
