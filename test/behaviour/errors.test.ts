// "Errors" of the behaviour page.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { ask, openGuide } from '../support/guide.ts';

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  let content: Content;
  beforeAll(async () => {
    content = await openGuide({ dialect });
  });

  test.each<[url: string, query: string, body: { status: number; name: string; message: string; details: object }]>([
    [
      '/api/restaurants',
      'filters[chef][nope][$eq]=1',
      {
        status: 400,
        name: 'ValidationError',
        message: 'Invalid key nope at chef',
        details: { key: 'nope', path: 'chef', source: 'query', param: 'filters' },
      },
    ],
    [
      '/api/restaurants',
      'fields[0]=name&fields[1]=nope',
      {
        status: 400,
        name: 'ValidationError',
        message: 'Invalid key nope',
        details: { key: 'nope', path: null, source: 'query', param: 'fields' },
      },
    ],
    [
      '/api/restaurants',
      'fields=chef',
      {
        status: 400,
        name: 'ValidationError',
        message: 'Invalid key chef',
        details: { key: 'chef', path: 'chef', source: 'query', param: 'fields' },
      },
    ],
    [
      '/api/restaurants',
      'fields=pin',
      {
        status: 400,
        name: 'ValidationError',
        message: 'Invalid key pin',
        details: { key: 'pin', path: 'pin', source: 'query', param: 'fields' },
      },
    ],
    [
      '/api/restaurants',
      'fields=secretNote',
      {
        status: 400,
        name: 'ValidationError',
        message: 'Invalid key secretNote',
        details: { key: 'secretNote', path: 'secretNote', source: 'query', param: 'fields' },
      },
    ],
    [
      '/api/restaurants',
      'fields[0]=secretNote&fields[1]=nope',
      {
        status: 400,
        name: 'ValidationError',
        message: 'Invalid key nope',
        details: { key: 'nope', path: null, source: 'query', param: 'fields' },
      },
    ],
    [
      '/api/restaurants',
      'fields[a]=name',
      {
        status: 400,
        name: 'ValidationError',
        message: 'Invalid fields parameter. Expected a string or an array of strings',
        details: {},
      },
    ],
    ['/api/licences', '', { status: 403, name: 'ForbiddenError', message: 'Forbidden', details: {} }],
    ['/api/users', '', { status: 403, name: 'ForbiddenError', message: 'Forbidden', details: {} }],
    ['/api/nope', '', { status: 404, name: 'NotFoundError', message: 'Not Found', details: {} }],
    ['/api/restaurants/nope', '', { status: 404, name: 'NotFoundError', message: 'Not Found', details: {} }],
  ])('%s?%s', async (path, query, error) => {
    const { status, body } = await ask(content, path, query);
    expect(status).toBe(body.error?.status);
    // query/refusals.test.ts has the messages of the dialect document
    if (dialect === 'strapi' || error.status !== 400) expect(body).toEqual({ data: null, error });
    else expect(body).toMatchObject({ data: null, error: { status: 400, name: error.name } });
  });

  test('fields accepts every form, and * for all', async () => {
    const two = [{ id: 1, documentId: 'lodz-cafe', name: 'Łódź café', seats: 40 }];
    for (const fields of [
      'fields[0]=name&fields[1]=seats',
      'fields[]=name&fields[]=seats',
      'fields=name,seats',
      'fields=name&fields=seats',
    ]) {
      expect((await ask(content, '/api/restaurants', `${fields}&filters[id]=1`)).body.data, fields).toEqual(two);
    }
    const all = await ask(content, '/api/restaurants', 'fields=*&sort=id');
    expect(all.body).toEqual((await ask(content, '/api/restaurants', 'sort=id')).body);
  });

  test('a method that does not read is a 405', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, body } = await ask(content, '/api/restaurants', '', { method });
      expect(status, method).toBe(405);
      expect(body.error?.status).toBe(405);
      expect(body.data).toBeNull();
    }
  });

  test('no request is a 500', async () => {
    const queries = [
      ...['fields=', 'fields[]=', 'fields[0][a]=name', 'sort=', 'sort[]=', 'sort[0][a][b][c]=asc', 'sort[chef]=asc'],
      ...[
        'sort=chef',
        'sort=cover.name',
        'sort=extras',
        'sort=body',
        'populate[]=',
        'populate[0][a]=b',
        'populate[chef][populate]=',
      ],
      ...['populate[chef][fields]=', 'populate[chef][sort]=', 'populate[chef][filters]=', 'populate[chef][filters]=a'],
      ...['populate[sections][on]=', 'populate[sections][on][block.hero]=', 'populate[sections][fields]=heading'],
      ...['pagination=1', 'pagination[]=1', 'pagination[page][a]=1', 'pagination[page]=1e400', 'pagination[page]=1.5'],
      ...[
        'pagination[page]=99999999999999999999',
        'pagination[start]=-1',
        'pagination[limit]=0',
        'pagination[withCount]=x',
      ],
      ...[
        'hasPublishedVersion[a]=true',
        'publicationFilter[a]=modified',
        'status[]=draft',
        'status[a]=b',
        'locale[]=en',
        'locale[a]=b',
        'locale',
        '_q=café',
        '_q[]=a',
        '_q[a]=b',
        '_q=',
      ],
      ...['filters[extras]=1', 'filters[extras][wifi]=true', 'filters[tags][$contains]=late', 'filters[body][$eq]=a'],
      ...[
        'filters[seats][$contains]=1',
        'filters[vegan]=perhaps',
        'filters[visits]=9223372036854775808',
        'filters[seats]=1e400',
      ],
    ];
    for (const query of queries) {
      for (const path of ['/api/restaurants', '/api/homepage', '/api/restaurants/lodz-cafe']) {
        const { status, body } = await ask(content, path, query);
        expect([200, 400, 403, 404], `${path}?${query}: ${JSON.stringify(body).slice(0, 200)}`).toContain(status);
      }
    }
  });
});

test('the library also rejects an invalid Date', async () => {
  const content = await openGuide();
  const find = () => content.find('restaurants', { filters: { createdAt: { $gt: new Date(Number.NaN) } } });
  expect(find).toThrow('filters.createdAt.$gt');
});
