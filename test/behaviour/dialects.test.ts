// The table "Two dialects" of the behaviour page, row by row.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { open } from '../../src/index.ts';
import { bob, bread, jane, john, soup } from '../support/bodies.ts';
import { ask, idsOf, openGuide, sha256, thingSnapshot } from '../support/guide.ts';

const tokens = [
  { name: 'all', sha256: sha256('all-key'), type: 'full-access' as const },
  {
    name: 'drafts',
    sha256: sha256('draft-key'),
    type: 'custom' as const,
    permissions: ['api::article.article.find', 'draft'],
  },
  {
    name: 'plain',
    sha256: sha256('plain-key'),
    type: 'custom' as const,
    permissions: ['api::article.article.find'],
  },
];
let document: Content;
let strapi: Content;
beforeAll(async () => {
  document = await openGuide({ dialect: 'document', tokens });
  strapi = await openGuide({ dialect: 'strapi', tokens });
});

test('a JSON snapshot is served in the dialect document by default', async () => {
  const snapshot = thingSnapshot({ name: { type: 'string' } }, [{ documentId: 'a' }]);
  expect((await open(snapshot)).summary.dialect).toBe('document');
  expect((await open(snapshot, { dialect: 'strapi' })).summary.dialect).toBe('strapi');
});

describe('a to-many relation populated with filters', () => {
  const query = 'fields=name&populate[categories][filters][rank]=2&sort=id&filters[id][$lt]=4';
  test('is an object with data in document', async () => {
    expect((await ask(document, '/api/restaurants', query)).body.data).toEqual([
      { id: 1, documentId: 'lodz-cafe', name: 'Łódź café', categories: { data: [bread] } },
      { id: 2, documentId: 'strasse', name: 'STRASSE', categories: { data: [bread] } },
      { id: 3, documentId: 'strasze', name: 'straße', categories: { data: [] } },
    ]);
  });
  test('is a plain array in strapi', async () => {
    expect((await ask(strapi, '/api/restaurants', query)).body.data).toEqual([
      { id: 1, documentId: 'lodz-cafe', name: 'Łódź café', categories: [bread] },
      { id: 2, documentId: 'strasse', name: 'STRASSE', categories: [bread] },
      { id: 3, documentId: 'strasze', name: 'straße', categories: [] },
    ]);
  });
});

test('a to-many relation populated without filters is a plain array in both dialects', async () => {
  for (const content of [document, strapi]) {
    for (const populate of ['populate=categories', 'populate[categories][sort]=rank', 'populate[categories]=true']) {
      expect((await ask(content, '/api/restaurants', `fields=name&filters[id]=1&${populate}`)).body.data).toEqual([
        { id: 1, documentId: 'lodz-cafe', name: 'Łódź café', categories: [soup, bread] },
      ]);
    }
  }
});

describe('a filter on a media field', () => {
  test('is a 400 in document: filters cannot be applied to polymorphic structures', async () => {
    for (const query of ['filters[cover][name]=x', 'filters[gallery][name]=x', 'filters[$not][cover][name]=x']) {
      const { status, body } = await ask(document, '/api/restaurants', query);
      expect(status, query).toBe(400);
      expect(body.error?.name).toBe('ValidationError');
    }
  });
  test('filters by the fields of the file in strapi', async () => {
    expect(await idsOf(strapi, '/api/restaurants', 'filters[cover][name][$contains]=2&sort=id')).toEqual([4]);
    expect(await idsOf(strapi, '/api/restaurants', 'filters[gallery][mime]=image/jpeg&sort=id')).toEqual([1]);
    expect(await idsOf(strapi, '/api/restaurants', 'filters[cover][name][$null]=false&sort=id')).toEqual([1, 4]);
  });
});

describe('GET /api/users', () => {
  test('has the envelope of every collection in document', async () => {
    expect((await ask(document, '/api/users', '', { token: 'all-key' })).body).toEqual({
      data: [john, jane, bob],
      meta: { pagination: { page: 1, pageSize: 25, pageCount: 1, total: 3 } },
    });
  });
  test('is a plain array in strapi', async () => {
    expect((await ask(strapi, '/api/users', '', { token: 'all-key' })).body).toEqual([john, jane, bob]);
    const filtered = await ask(strapi, '/api/users', 'filters[username][$eqi]=JOHN', { token: 'all-key' });
    expect(filtered.body).toEqual([john]);
  });
});

describe('status=draft', () => {
  const query = 'status=draft&sort=id';
  test('requires the permission draft in document', async () => {
    expect(await idsOf(document, '/api/articles', query, 'draft-key')).toEqual([1, 5, 7]);
    expect(await idsOf(document, '/api/articles', query, 'all-key')).toEqual([1, 5, 7]);
    for (const token of [undefined, 'plain-key']) {
      const { status, body } = await ask(document, '/api/articles', query, { token });
      expect(status).toBe(403);
      expect(body.error).toMatchObject({ status: 403, name: 'ForbiddenError' });
      expect(body.data).toBeNull();
    }
  });
  test('is the only status that returns drafts in document', async () => {
    const { body } = await ask(document, '/api/articles', 'status=zzz&sort=id');
    expect(JSON.stringify(body)).not.toContain('edited');
    expect(JSON.stringify(body)).not.toContain('Third');
  });
  test('requires the permission for a single entry in document', async () => {
    expect((await ask(document, '/api/articles/first', 'status=draft')).status).toBe(403);
  });
  test('is open to every reader in strapi, where every status except published means draft, as recorded', async () => {
    expect(await idsOf(strapi, '/api/articles', query)).toEqual([1, 5, 7]);
    expect(await idsOf(strapi, '/api/articles', 'status=zzz&sort=id')).toEqual([1, 5, 7]);
  });
});

describe('an unknown root parameter', () => {
  test('is a 400 that names it in document', async () => {
    for (const [query, name] of [
      ['foo=bar', 'foo'],
      ['page=2', 'page'],
      ['filter[name]=x', 'filter'],
      ['where[id]=1', 'where'],
      ['Sort=id', 'Sort'],
    ]) {
      const { status, body } = await ask(document, '/api/categories', query);
      expect(status, query).toBe(400);
      expect(body.error?.name, query).toBe('ValidationError');
      expect(body.error?.message, query).toContain(name);
    }
  });
  test('is ignored in strapi', async () => {
    const all = [71, 72, 73, 74, 75, 76];
    expect(await idsOf(strapi, '/api/categories', 'foo=bar')).toEqual(all);
    expect(await idsOf(strapi, '/api/categories', 'filter[name]=x')).toEqual(all);
    expect(await idsOf(strapi, '/api/categories', 'where[id]=1')).toEqual(all);
  });
});

describe('populate of a type that the role may not read', () => {
  const query = 'fields=name&filters[id]=1&populate[0]=licence&populate[1]=chef&populate[chef][fields]=name';
  const plain = 'fields=name&filters[id]=1&populate=licence';
  test('is omitted and named in a response header in document', async () => {
    const { status, headers, body } = await ask(document, '/api/restaurants', plain);
    expect(status).toBe(200);
    expect(body.data).toEqual([{ id: 1, documentId: 'lodz-cafe', name: 'Łódź café' }]);
    expect(Object.values(headers).some((value) => value.includes('licence'))).toBe(true);
  });
  test('has no such header in document if nothing is omitted', async () => {
    const { headers } = await ask(document, '/api/restaurants', plain, { token: 'all-key' });
    expect(Object.values(headers).some((value) => value.includes('licence'))).toBe(false);
  });
  test('is omitted in strapi', async () => {
    const { status, body } = await ask(strapi, '/api/restaurants', plain);
    expect(status).toBe(200);
    expect(body.data).toEqual([{ id: 1, documentId: 'lodz-cafe', name: 'Łódź café' }]);
  });
  test('is a 400 in document if it is a list and an object at once', async () => {
    expect((await ask(document, '/api/restaurants', query)).status).toBe(400);
  });
  test('is the object in strapi if it is a list and an object at once', async () => {
    const { body } = await ask(strapi, '/api/restaurants', query);
    expect(Object.keys((body.data as object[])[0])).toEqual(['id', 'documentId', 'name', 'chef']);
  });
});

describe('fields beside a sort inside a populate object', () => {
  const query = 'fields=name&filters[id]=1&populate[openings][fields][0]=day&populate[openings][sort]=opens:desc';
  const entry = { id: 1, documentId: 'lodz-cafe', name: 'Łódź café' };
  test('returns only the selected attributes in document', async () => {
    const openings = [
      { id: 2, day: 'tue' },
      { id: 1, day: 'mon' },
    ];
    expect((await ask(document, '/api/restaurants', query)).body.data).toEqual([{ ...entry, openings }]);
  });
  test('also returns the sort attribute in strapi, as recorded', async () => {
    const openings = [
      { id: 2, day: 'tue', opens: '09:30:00' },
      { id: 1, day: 'mon', opens: '08:00:00' },
    ];
    expect((await ask(strapi, '/api/restaurants', query)).body.data).toEqual([{ ...entry, openings }]);
  });
});
