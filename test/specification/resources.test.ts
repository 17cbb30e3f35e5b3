// Sections 2 and 4.1 of the specification, row by row, in the dialect `document`.
import { beforeAll, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { ada, bread, cover1, jane, john, lodzCafe, nameless, soup, strasse } from '../support/bodies.ts';
import { ask, idsOf, openGuide, sha256 } from '../support/guide.ts';

let content: Content;
beforeAll(async () => {
  content = await openGuide({ tokens: [{ name: 'all', sha256: sha256('open-sesame'), type: 'full-access' }] });
});
const one = '&filters[id]=1';

test('2.1 id: an integer, and a filter', async () => {
  const { body } = await ask(content, '/api/chefs', 'filters[id][$in][0]=51');
  expect(body).toEqual({ data: [ada], meta: { pagination: { page: 1, pageSize: 25, pageCount: 1, total: 1 } } });
});

test('2.1 documentId: a string', async () => {
  const { body } = await ask(content, '/api/categories', 'fields=name&filters[documentId]=soup');
  expect(body.data).toEqual([{ id: 71, documentId: 'soup', name: 'soup' }]);
});

test('2.1 own attributes: returned by default if of a type in 2.2', async () => {
  const { body } = await ask(content, '/api/restaurants', 'filters[id][$in][0]=1&filters[id][$in][1]=12');
  expect(body.data).toEqual([lodzCafe, nameless]);
});

test('2.1 the user content type carries its account and its timestamps in ISO 8601', async () => {
  const { status, body } = await ask(content, '/api/users', 'filters[id][$lt]=3', { token: 'open-sesame' });
  expect(status).toBe(200);
  expect(body).toEqual({
    data: [john, jane],
    meta: { pagination: { page: 1, pageSize: 25, pageCount: 1, total: 2 } },
  });
});

test('2.2 string: string, text, richtext, enumeration, email and uid; a password never', async () => {
  const { body } = await ask(content, '/api/restaurants', one.slice(1));
  expect((body.data as object[])[0]).toMatchObject({
    name: 'Łódź café',
    motto: 'Open late, 100% open',
    story: '## Łódź\n\nA *café*.',
    price: 'mid',
    contact: 'hello@lodz.example',
    slug: 'lodz-cafe',
  });
  expect((body.data as object[])[0]).not.toHaveProperty('pin');
  expect(JSON.stringify(body)).not.toContain('4711');
});

test('2.2 date: date, time, datetime and timestamp', async () => {
  const fields = 'fields[0]=opened&fields[1]=kitchenOpens&fields[2]=inspectedAt&fields[3]=stampedAt';
  const { body } = await ask(content, '/api/restaurants', `${fields}&filters[id][$in][0]=1&filters[id][$in][1]=6`);
  expect(body.data).toEqual([
    {
      id: 1,
      documentId: 'lodz-cafe',
      opened: '2010-06-07',
      kitchenOpens: '08:00:00',
      inspectedAt: '2020-01-01T00:00:00.000Z',
      stampedAt: '1577836800000',
    },
    {
      id: 6,
      documentId: 'rye',
      opened: '2020-01-01',
      kitchenOpens: '12:30:00.500',
      inspectedAt: '2019-12-31T23:59:59.000Z',
      stampedAt: '1577836799999',
    },
  ]);
});

test('2.2 number: integer, biginteger (as text, exact), float and decimal', async () => {
  const fields = 'fields[0]=seats&fields[1]=visits&fields[2]=score&fields[3]=tax';
  const ids = 'filters[id][$in][0]=3&filters[id][$in][1]=4&filters[id][$in][2]=13';
  const { body } = await ask(content, '/api/restaurants', `${fields}&${ids}&sort=id`);
  expect(body.data).toEqual([
    { id: 3, documentId: 'strasze', seats: -5, visits: '-9007199254740993', score: -2.5, tax: -0.01 },
    { id: 4, documentId: 'istanbul-dotted', seats: 12, visits: '9223372036854775807', score: 3, tax: 20 },
    { id: 13, documentId: 'ligature', seats: 2147483648, visits: '2147483648', score: 1e-7, tax: 1234567.89 },
  ]);
});

test('2.2 generic: boolean, array and JSON', async () => {
  const { body } = await ask(
    content,
    '/api/restaurants',
    'fields[0]=vegan&fields[1]=tags&fields[2]=extras&sort=id&filters[id][$in][0]=1&filters[id][$in][1]=2&filters[id][$in][2]=3&filters[id][$in][3]=4&filters[id][$in][4]=6&filters[id][$in][5]=8',
  );
  expect(body.data).toEqual([
    {
      id: 1,
      documentId: 'lodz-cafe',
      vegan: true,
      tags: ['late', 'café'],
      extras: { wifi: true, tables: { inside: 4 } },
    },
    { id: 2, documentId: 'strasse', vegan: false, tags: [], extras: {} },
    { id: 3, documentId: 'strasze', vegan: null, tags: null, extras: [1, 'two', null] },
    { id: 4, documentId: 'istanbul-dotted', vegan: true, tags: null, extras: 'text' },
    { id: 6, documentId: 'rye', vegan: true, tags: null, extras: false },
    { id: 8, documentId: 'back', vegan: false, tags: null, extras: 0 },
  ]);
});

test('2.2 relations, media, components and dynamic zones are not returned unless populated', async () => {
  const { body } = await ask(content, '/api/restaurants', one.slice(1));
  const related = ['chef', 'categories', 'licence', 'nearby', 'cover', 'gallery', 'address', 'openings', 'sections'];
  for (const name of related) expect((body.data as object[])[0]).not.toHaveProperty(name);
});

test('2.2 rich text made of blocks is an array of block objects', async () => {
  const { body } = await ask(content, '/api/restaurants', `fields=body${one}`);
  expect(body.data).toEqual([
    {
      id: 1,
      documentId: 'lodz-cafe',
      body: [{ type: 'paragraph', children: [{ type: 'text', text: 'Borscht & bread' }] }],
    },
  ]);
});

test('2.3 data: an array of the matching entries', async () => {
  expect((await ask(content, '/api/categories', 'filters[name]=soup')).body.data).toEqual([soup]);
  expect((await ask(content, '/api/categories', 'filters[name]=nope')).body.data).toEqual([]);
});

test('2.3 meta: an object, with pagination or empty', async () => {
  expect((await ask(content, '/api/categories', 'filters[name]=soup')).body.meta).toEqual({
    pagination: { page: 1, pageSize: 25, pageCount: 1, total: 1 },
  });
  expect((await ask(content, '/api/homepage')).body.meta).toEqual({});
});

test('2.3 meta.pagination: page, pageSize (25 by default), pageCount and total', async () => {
  const { body } = await ask(content, '/api/restaurants', 'fields=id');
  expect(body.meta).toEqual({ pagination: { page: 1, pageSize: 25, pageCount: 1, total: 14 } });
  const paged = await ask(content, '/api/restaurants', 'fields=id&pagination[page]=3&pagination[pageSize]=4&sort=id');
  expect(paged.body).toEqual({
    data: [
      { id: 9, documentId: 'obrien' },
      { id: 10, documentId: 'slice' },
      { id: 11, documentId: 'empty' },
      { id: 12, documentId: 'nameless' },
    ],
    meta: { pagination: { page: 3, pageSize: 4, pageCount: 4, total: 14 } },
  });
});

test('2.4 a populated single relation is an object with id, documentId and fields', async () => {
  const { body } = await ask(content, '/api/restaurants', `fields=name&populate=chef${one}`);
  expect(body.data).toEqual([{ id: 1, documentId: 'lodz-cafe', name: 'Łódź café', chef: ada }]);
});

test('2.4 a populated media field is an object with id, documentId and fields', async () => {
  const { body } = await ask(content, '/api/restaurants', `fields=name&populate=cover${one}`);
  expect(body.data).toEqual([{ id: 1, documentId: 'lodz-cafe', name: 'Łódź café', cover: cover1 }]);
});

test('2.4 a populated to-many relation stands under its name', async () => {
  const { body } = await ask(content, '/api/restaurants', `fields=name&populate=categories${one}`);
  expect(body.data).toEqual([{ id: 1, documentId: 'lodz-cafe', name: 'Łódź café', categories: [soup, bread] }]);
});

test('2.4 a to-many relation populated with filters is an object with a data array', async () => {
  const query = `fields=name&populate[categories][filters][name][$eq]=Bread&sort=id&filters[id][$lt]=4`;
  const { body } = await ask(content, '/api/restaurants', query);
  expect(body.data).toEqual([
    { id: 1, documentId: 'lodz-cafe', name: 'Łódź café', categories: { data: [bread] } },
    { id: 2, documentId: 'strasse', name: 'STRASSE', categories: { data: [bread] } },
    { id: 3, documentId: 'strasze', name: 'straße', categories: { data: [] } },
  ]);
});

test('2.4 populated relations are full objects, never identifiers', async () => {
  const { body } = await ask(content, '/api/chefs', 'fields=name&populate=restaurants&filters[id]=52');
  const { restaurants } = (body.data as { restaurants: object[] }[])[0];
  expect(restaurants).toHaveLength(3);
  expect(restaurants[0]).toEqual(strasse);
});

test('4.1 method: GET; another is 405', async () => {
  expect((await ask(content, '/api/categories', '', { method: 'GET' })).status).toBe(200);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const { status, body } = await ask(content, '/api/categories', '', { method });
    expect(status, method).toBe(405);
    expect(body.error?.status).toBe(405);
  }
});

test('4.1 path: the plural name of the content type; another is 404', async () => {
  expect((await ask(content, '/api/categories')).status).toBe(200);
  for (const path of ['/api/nope', '/api/constructor', '/api/__proto__', '/restaurants']) {
    expect((await ask(content, path)).status, path).toBe(404);
  }
});

test('4.1 query parameters work together', async () => {
  const query = [
    'filters[seats][$notNull]=true&fields=seats&sort=seats:desc&pagination[page]=2&pagination[pageSize]=2',
    'populate[chef][fields]=name',
  ].join('&');
  expect((await ask(content, '/api/restaurants', query)).body).toEqual({
    data: [
      { id: 6, documentId: 'rye', seats: 100, chef: { id: 52, documentId: 'bo', name: 'bo' } },
      { id: 40, documentId: 'cafe', seats: 41, chef: null },
    ],
    meta: { pagination: { page: 2, pageSize: 2, pageCount: 6, total: 11 } },
  });
});

test('4.1 success: status 200, JSON with data and meta', async () => {
  const answer = await ask(content, '/api/categories', 'fields=name&filters[rank]=3');
  const type = Object.entries(answer.headers).find(([name]) => name.toLowerCase() === 'content-type');
  expect(type?.[1]).toMatch(/^application\/json/);
  expect({ ...answer, headers: {} }).toEqual({
    status: 200,
    headers: {},
    body: {
      data: [{ id: 73, documentId: 'sweet', name: 'süß' }],
      meta: { pagination: { page: 1, pageSize: 25, pageCount: 1, total: 1 } },
    },
  });
});

test('4.1 filters work on every collection', async () => {
  expect(await idsOf(content, '/api/bookmarks', 'filters[label]=second')).toEqual([82]);
  expect(await idsOf(content, '/api/articles', 'filters[reading][$gt]=3')).toEqual([10]);
});
