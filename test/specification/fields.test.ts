// Sections 4.3, 5, 7 and 8 of the specification in the dialect `document`.
import { beforeAll, expect, test } from 'vitest';
import { type Content, open } from '../../src/index.ts';
import { bread, licence1, odd, soup, sweet } from '../support/bodies.ts';
import { ask, idsOf, openGuide, sha256, thingSnapshot } from '../support/guide.ts';

let content: Content;
beforeAll(async () => {
  const permissions = ['api::restaurant.restaurant.find', 'api::licence.licence.find'];
  content = await openGuide({
    tokens: [
      { name: 'inspector', sha256: sha256('inspector-key'), type: 'custom', permissions },
      { name: 'cook', sha256: sha256('cook-key'), type: 'custom', permissions: ['api::category.category.find'] },
    ],
  });
});

test('4.3 one field', async () => {
  const { body } = await ask(content, '/api/categories', 'fields=name&filters[rank]=1');
  expect(body.data).toEqual([{ id: 71, documentId: 'soup', name: 'soup' }]);
});

test('4.3 several fields', async () => {
  const { body } = await ask(content, '/api/categories', 'fields[0]=rank&fields[1]=name&filters[rank]=1');
  expect(body.data).toEqual([{ id: 71, documentId: 'soup', name: 'soup', rank: 1 }]);
});

test('4.3 id and documentId always come along', async () => {
  for (const fields of ['fields=id', 'fields=documentId', 'fields[0]=id&fields[1]=documentId']) {
    const { body } = await ask(content, '/api/categories', `${fields}&filters[rank]=1`);
    expect(body.data, fields).toEqual([{ id: 71, documentId: 'soup' }]);
  }
});

test.each(['chef', 'categories', 'cover', 'gallery', 'address', 'openings', 'sections'])(
  '4.3 fields does not apply to relations, media, components and zones: %s',
  async (key) => {
    const { status, body } = await ask(content, '/api/restaurants', `fields=${key}`);
    expect(status).toBe(400);
    expect(body.error!.message).toMatch(new RegExp(`^Invalid key ${key}: it is .+, which needs populate`));
    expect(body.error!.details).toEqual({ key, path: key, source: 'query', param: 'fields' });
  },
);

test('4.3 fields inside a populate object select fields of the populated entries', async () => {
  const query = 'fields=name&populate[chef][fields][0]=stars&filters[id]=1';
  expect((await ask(content, '/api/restaurants', query)).body.data).toEqual([
    { id: 1, documentId: 'lodz-cafe', name: 'Łódź café', chef: { id: 51, documentId: 'ada', stars: 3 } },
  ]);
});

test('5 requests carry Authorization: Bearer <ACCESS_TOKEN>', async () => {
  const query = 'filters[number]=L-1';
  const allowed = await ask(content, '/api/licences', query, { authorization: 'Bearer inspector-key' });
  expect(allowed.status).toBe(200);
  expect(allowed.body).toEqual({
    data: [licence1],
    meta: { pagination: { page: 1, pageSize: 25, pageCount: 1, total: 1 } },
  });
});

test('5 a role needs the find permission on a content type to read it', async () => {
  const forbidden = {
    data: null,
    error: { status: 403, name: 'ForbiddenError', message: 'Forbidden', details: {} },
  };
  const anonymous = await ask(content, '/api/licences');
  expect([anonymous.status, anonymous.body]).toEqual([403, forbidden]);
  const other = await ask(content, '/api/licences', '', { token: 'cook-key' });
  expect([other.status, other.body]).toEqual([403, forbidden]);
});

test('5 and on each content type that is populated', async () => {
  const query = 'fields=name&populate[0]=licence&populate[1]=categories&filters[id]=1';
  expect((await ask(content, '/api/restaurants', query)).body.data).toEqual([
    { id: 1, documentId: 'lodz-cafe', name: 'Łódź café', categories: [soup, bread] },
  ]);
  expect((await ask(content, '/api/restaurants', query, { token: 'inspector-key' })).body.data).toEqual([
    { id: 1, documentId: 'lodz-cafe', name: 'Łódź café', licence: licence1 },
  ]);
});

test('7 status 200 is for success only; an error has data null and its status in the body', async () => {
  for (const [path, query, status, name] of [
    ['/api/restaurants', 'filters[nope]=1', 400, 'ValidationError'],
    ['/api/licences', '', 403, 'ForbiddenError'],
    ['/api/nope', '', 404, 'NotFoundError'],
  ] as const) {
    const answer = await ask(content, path, query);
    expect(answer.status, path).toBe(status);
    expect(answer.body.data).toBeNull();
    expect(answer.body.error).toMatchObject({ status, name });
    expect(Object.keys(answer.body.error ?? {}).sort()).toEqual(['details', 'message', 'name', 'status']);
  }
});

const list = (count: number) => Array.from({ length: count }, (_, i) => `populate[${i}]=parent`).join('&');

test('8 array items: 100 by default', async () => {
  expect((await ask(content, '/api/categories', list(100))).status).toBe(200);
  const { status, body } = await ask(content, '/api/categories', list(101));
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ status: 400, name: 'ValidationError' });
});

test('8 array items: arrayLimit raises and lowers the limit', async () => {
  const wide = await openGuide({ arrayLimit: 150 });
  expect((await ask(wide, '/api/categories', list(150))).status).toBe(200);
  expect((await ask(wide, '/api/categories', list(151))).status).toBe(400);
  const narrow = await openGuide({ arrayLimit: 2 });
  expect((await ask(narrow, '/api/categories', list(2))).status).toBe(200);
  expect((await ask(narrow, '/api/categories', list(3))).status).toBe(400);
});

test('8 page size: 25 without pagination parameters', async () => {
  const many = Array.from({ length: 26 }, (_, i) => ({ documentId: `t${i}` }));
  const things = await open(thingSnapshot({ name: { type: 'string' } }, many));
  expect(await idsOf(things, '/api/things')).toHaveLength(25);
  expect((await ask(things, '/api/things')).body.meta).toEqual({
    pagination: { page: 1, pageSize: 25, pageCount: 2, total: 26 },
  });
});

test('8 page size: a sort and a second page take up where the first ends', async () => {
  const page = (number: number) => `sort=rank:desc&pagination[pageSize]=2&pagination[page]=${number}`;
  // Descending, null comes first: fish; then unused 5, sweet 3, bread 2, soup 1, odd -1.
  expect(await idsOf(content, '/api/categories', page(1))).toEqual([74, 76]);
  expect(await idsOf(content, '/api/categories', page(2))).toEqual([sweet.id, bread.id]);
  expect(await idsOf(content, '/api/categories', page(3))).toEqual([soup.id, odd.id]);
});
