// Section 4.4 of the specification, rule by rule, in the dialect `document`.
import { beforeAll, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { bo, dee, fifth, first, fish, lodzCafe, mark1, soup, sweet } from '../support/bodies.ts';
import { ask, openGuide, sha256 } from '../support/guide.ts';

let content: Content;
beforeAll(async () => {
  content = await openGuide({ tokens: [{ name: 'all', sha256: sha256('sesame'), type: 'full-access' }] });
});

/** The entries answered to `path?fields=name&query`. */
async function data(path: string, query: string, token?: string): Promise<unknown> {
  const { status, body } = await ask(content, path, `fields=name&${query}`, { token });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
}
const lodz = { id: 1, documentId: 'lodz-cafe', name: 'Łódź café' };

test('4.4 rule 1: without populate no relation, media field, component or zone is returned', async () => {
  expect((await ask(content, '/api/restaurants', 'filters[id]=1')).body.data).toEqual([lodzCafe]);
});

test('4.4 rule 2: fields, filters and sort combine inside a populate object', async () => {
  const query = [
    'populate[restaurants][fields][0]=seats&populate[restaurants][filters][seats][$lt]=100',
    'populate[restaurants][sort][0]=seats%3Aasc&filters[id]=51',
  ].join('&');
  expect(await data('/api/chefs', query)).toEqual([
    {
      id: 51,
      documentId: 'ada',
      name: 'Ada',
      restaurants: {
        data: [
          { id: 4, documentId: 'istanbul-dotted', seats: 12 },
          { id: 1, documentId: 'lodz-cafe', seats: 40 },
        ],
      },
    },
  ]);
});

test('4.4 rule 2: sort alone keeps the plain list', async () => {
  expect(await data('/api/restaurants', 'populate[categories][sort][0]=name:asc&filters[id]=4')).toEqual([
    { id: 4, documentId: 'istanbul-dotted', name: 'İstanbul', categories: [fish, soup, sweet] },
  ]);
});

test('4.4 rule 3: fields and populate combine at the top level', async () => {
  const { body } = await ask(
    content,
    '/api/restaurants',
    'fields[0]=seats&populate[chef][fields][0]=name&filters[id]=9',
  );
  expect(body.data).toEqual([
    { id: 9, documentId: 'obrien', seats: 40, chef: { id: 54, documentId: 'dee', name: 'Dée' } },
  ]);
});

test('4.4 rule 4: top-level pagination works alongside populate', async () => {
  const query = 'fields=name&populate[mentees][fields]=name&sort=id&pagination[page]=1&pagination[pageSize]=2';
  expect((await ask(content, '/api/chefs', query)).body).toEqual({
    data: [
      {
        id: 51,
        documentId: 'ada',
        name: 'Ada',
        mentees: [
          { id: 52, documentId: 'bo', name: 'bo' },
          { id: 54, documentId: 'dee', name: 'Dée' },
        ],
      },
      { id: 52, documentId: 'bo', name: 'bo', mentees: [{ id: 53, documentId: 'cy', name: 'Cy' }] },
    ],
    meta: { pagination: { page: 1, pageSize: 2, pageCount: 3, total: 5 } },
  });
});

test('4.4 rule 4: pagination inside a populated relation is not supported', async () => {
  for (const [key, rest] of [
    ['pagination', '[pagination][pageSize]=1'],
    ['limit', '[limit]=1'],
    ['start', '[start]=1'],
  ]) {
    const { status, body } = await ask(content, '/api/restaurants', `populate[categories]${rest}`);
    expect(status, key).toBe(400);
    expect(body.error).toMatchObject({
      status: 400,
      name: 'ValidationError',
      message: expect.stringMatching(`^Invalid key ${key} at categories in populate\\[categories\\]: expected `),
      details: { key, path: 'categories', source: 'query', param: 'populate' },
    });
  }
});

test('4.4 rule 5: without sort the order of connection is kept, an explicit sort overrides it', async () => {
  const ids = (value: unknown) => (value as { categories: { id: number }[] }[])[0].categories.map(({ id }) => id);
  expect(ids(await data('/api/restaurants', 'populate=categories&filters[id]=4'))).toEqual([73, 71, 74]);
  expect(ids(await data('/api/restaurants', 'populate[categories][sort][0]=id:asc&filters[id]=4'))).toEqual([
    71, 73, 74,
  ]);
  expect(ids(await data('/api/restaurants', 'populate[categories][sort][0]=rank:desc&filters[id]=4'))).toEqual([
    74, 73, 71,
  ]);
});

test('4.4 rule 6: explicit population gives what populate=* gives', async () => {
  const explicit =
    'populate[0]=restaurants&populate[1]=mentor&populate[2]=mentees&populate[3]=articles&populate[4]=bookmarks';
  const chefs = await data('/api/chefs', `${explicit}&sort=id`);
  expect(await data('/api/chefs', 'populate=*&sort=id')).toEqual(chefs);
  expect((chefs as object[])[0]).toMatchObject({
    mentor: null,
    mentees: [bo, dee],
    articles: [first, fifth],
    bookmarks: [mark1],
  });
});

test('4.4 rule 7: a content type is populated only if the role may find it', async () => {
  const query = 'populate[licence][fields]=number&filters[id]=1';
  expect(await data('/api/restaurants', query)).toEqual([lodz]);
  expect(await data('/api/restaurants', query, 'sesame')).toEqual([
    { ...lodz, licence: { id: 61, documentId: 'licence-1', number: 'L-1' } },
  ]);
});
