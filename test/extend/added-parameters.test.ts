/** The setting `routes`: parameters that are added to queries over HTTP. */
import { join } from 'node:path';
import qs from 'qs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Content, OpenOptions } from '../../src/index.ts';
import { ask, encodeQuery, openGuide, sha256 } from '../support/guide.ts';
import { jwtOf, jwtSecret } from '../support/jwt.ts';
import { openShared } from '../support/open-shared.ts';

const restaurant = 'api::restaurant.restaurant';
const users = 'plugin::users-permissions.user';
const tokens: OpenOptions['tokens'] = [{ name: 'all', sha256: sha256('all'), type: 'full-access' }];

type Routes = OpenOptions['routes'];

const bytesOf = async (content: Content, url: string, responseFormat?: string, token?: string) => {
  const authorization = token && `Bearer ${token}`;
  const { status, body } = await content.answer(url, { authorization, responseFormat });
  return `${status} ${body}`;
};

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  const list = { populate: { chef: { fields: ['name'] } }, sort: 'name:desc', pagination: { pageSize: 3 } };
  const routes: Routes = {
    [restaurant]: {
      find: { default: list, set: { filters: { seats: { $notNull: true } }, fields: ['name', 'seats'] } },
      findOne: { default: 'populate[categories][sort]=rank&populate[chef]=true' },
    },
    'api::homepage.homepage': { find: { default: { populate: '*' } } },
    'plugin::upload.file': { find: { default: { populate: 'related' } } },
    [users]: { find: { set: { sort: 'username:desc' } }, me: { default: { populate: 'role' } } },
  };
  let plain: Content;
  let added: Content;
  beforeAll(async () => {
    plain = await openGuide({ dialect, tokens });
    added = await openGuide({ dialect, tokens, routes });
  });

  const find = { ...list, filters: { seats: { $notNull: true } }, fields: ['name', 'seats'] };

  test.each<[string, string, Record<string, unknown>]>([
    ['/api/restaurants', '', find],
    ['/api/restaurants', 'sort=name', { ...find, sort: 'name' }],
    ['/api/restaurants', 'sort=', { ...find, sort: '' }],
    ['/api/restaurants', 'populate=', { ...find, populate: '' }],
    ['/api/restaurants', 'populate[categories]=true', { ...find, populate: { categories: 'true' } }],
    ['/api/restaurants', 'filters[name]=x&fields=motto', find],
    ['/api/restaurants', 'filters[$or][0][name]=x&pagination[page]=2', { ...find, pagination: { page: 2 } }],
    [
      '/api/restaurants',
      'pagination[page]=1&pagination[pageSize]=1',
      { ...find, pagination: { page: 1, pageSize: 1 } },
    ],
    ['/api/restaurants', 'sort=nosuch', { ...find, sort: 'nosuch' }],
    ['/api/homepage', 'locale=fr', { populate: '*', locale: 'fr' }],
    ['/api/homepage', 'fields=headline&status=published', { populate: '*', fields: 'headline', status: 'published' }],
    ['/api/upload/files', '', { populate: 'related' }],
    ['/api/upload/files', 'populate=*', { populate: '*' }],
    ['/api/users', 'sort=id', { sort: 'username:desc' }],
  ])('%s?%s is answered as if the parameters were in the URL', async (path, text, query) => {
    const written = `${path}?${qs.stringify(query)}`;
    for (const format of [undefined, 'v4']) {
      for (const token of [undefined, 'all']) {
        const expected = await bytesOf(plain, written, format, token);
        // the first request binds, the second caches, the third is served from the cache
        for (let i = 0; i < 3; i++) {
          expect(await bytesOf(added, `${path}?${encodeQuery(text)}`, format, token), `${format} ${token} ${i}`).toBe(
            expected,
          );
        }
      }
    }
  });

  test('findOne parameters apply to one entry, find parameters do not', async () => {
    const { data } = plain.find('restaurants', { pagination: { limit: 1 } });
    const path = `/api/restaurants/${data[0].documentId}`;
    const query = encodeQuery('populate[categories][sort]=rank&populate[chef]=true');
    const expected = await bytesOf(plain, `${path}?${query}`);
    expect(await bytesOf(added, path)).toBe(expected);
    expect(expected).toContain('"categories":[');
  });

  test('queries of the library get no added parameters', async () => {
    const names = (content: Content) => content.find('restaurants');
    expect(names(added)).toEqual(names(plain));
  });

  test('an explanation includes added parameters', async () => {
    const plan = (content: Content, url: string) => content.explain(url).plan;
    const expected = plan(plain, `/api/restaurants?${qs.stringify(find)}`);
    expect(plan(added, '/api/restaurants')).toBe(expected);
    expect(expected).not.toBe('');
  });
});

test('null in set removes a parameter', async () => {
  const content = await openGuide({ routes: { [restaurant]: { find: { set: { populate: null, sort: null } } } } });
  expect(await bytesOf(content, '/api/restaurants?populate=*&sort=name:desc')).toBe(
    await bytesOf(content, '/api/restaurants'),
  );
});

test('set takes precedence over default', async () => {
  const routes: Routes = { [restaurant]: { find: { default: { sort: 'name' }, set: { sort: 'id:desc' } } } };
  const { body } = await ask(await openGuide({ routes }), '/api/restaurants');
  const ids = (body.data as { id: number }[]).map(({ id }) => id);
  expect(ids).toEqual([...ids].sort((a, b) => b - a));
});

test('/users/me gets the parameters of me', async () => {
  const routes: Routes = { [users]: { me: { set: { fields: ['username'] } } } };
  const content = await openGuide({ routes, jwtSecret });
  const { body } = await ask(content, '/api/users/me', 'fields=email', { token: jwtOf(1) });
  expect(body).toEqual({ id: 1, documentId: 'john', username: 'John' });
});

test('one prepared query serves every page and value, as without the setting', async () => {
  const routes: Routes = { [restaurant]: { find: { default: { populate: 'chef', sort: 'name' } } } };
  const content = await openGuide({ routes, cacheBytes: 0 });
  for (let page = 1; page <= 20; page++) {
    const url = `/api/restaurants?filters[seats][$gte]=${page}&pagination[page]=${page}`;
    expect((await content.answer(url)).status).toBe(200);
  }
  expect(content.history.cacheFigures.preparedQueries).toMatchObject({ hits: 19, misses: 1 });
});

test('added parameters never grant permissions', async () => {
  const routes: Routes = {
    [restaurant]: { find: { default: { populate: 'licence' } } },
    'api::article.article': { find: { default: { status: 'draft' } } },
    'api::chef.chef': { find: { set: { filters: { restaurants: { licence: { number: 'L-1' } } } } } },
  };
  const content = await openGuide({ routes, tokens });
  const open = await ask(content, '/api/restaurants');
  expect(JSON.stringify(open.body)).not.toContain('licence');
  expect(open.headers['X-Lectern-Omitted']).toBe('licence');
  expect(JSON.stringify((await ask(content, '/api/restaurants', '', { token: 'all' })).body)).toContain('"licence":{');
  expect((await ask(content, '/api/articles')).status).toBe(403);
  expect((await ask(content, '/api/articles', '', { token: 'all' })).status).toBe(200);
  expect((await ask(content, '/api/chefs')).body.error).toMatchObject({
    status: 400,
    message: 'Invalid key licence at restaurants.licence: there is no such attribute',
  });
  expect((await ask(content, '/api/chefs', '', { token: 'all' })).status).toBe(200);
});

const problemsOf = async (routes: unknown, options: OpenOptions = {}): Promise<string[]> => {
  try {
    await openGuide({ routes: routes as Routes, ...options });
  } catch (error) {
    expect((error as Error).name).toBe('ConfigError');
    return (error as Error).message.split('\n');
  }
  throw new Error('the setting was accepted');
};

test.each<[string, unknown, string]>([
  [
    'a type that does not exist',
    { 'api::restaurant.restaurants': { find: {} } },
    'options: routes["api::restaurant.restaurants"]: no content type with this uid takes queries (did you mean "api::restaurant.restaurant"?)',
  ],
  [
    'a type whose routes take no query',
    { 'plugin::users-permissions.role': { find: {} } },
    'options: routes["plugin::users-permissions.role"]: no content type with this uid takes queries (did you mean "plugin::users-permissions.user"?)',
  ],
  [
    'an action that does not exist',
    { [restaurant]: { findone: {} } },
    `options: routes["${restaurant}"].findone: no such action; it has find, findOne (did you mean "findOne"?)`,
  ],
  [
    'findOne of a single type',
    { 'api::homepage.homepage': { findOne: {} } },
    'options: routes["api::homepage.homepage"].findOne: no such action; it has find',
  ],
  [
    'a parameter that does not exist',
    { [restaurant]: { find: { default: { populates: '*' } } } },
    `options: routes["${restaurant}"].find.default.populates: unknown parameter (did you mean "populate"?)`,
  ],
  [
    'a parameter in query-string text that does not exist',
    { [restaurant]: { find: { set: 'sort=name&filter[name]=x' } } },
    `options: routes["${restaurant}"].find.set.filter: unknown parameter (did you mean "filters"?)`,
  ],
  [
    'a default of null',
    { [restaurant]: { find: { default: { sort: null } } } },
    `options: routes["${restaurant}"].find.default.sort: must have a value, is null`,
  ],
  [
    'an attribute that does not exist',
    { [restaurant]: { findOne: { default: { populate: { chef: { fields: ['nam'] } } } } } },
    `options: routes["${restaurant}"].findOne.default.populate: Invalid key nam at chef.nam in populate[chef][fields]: there is no such attribute (did you mean "name"?)`,
  ],
  [
    'a private attribute',
    { [restaurant]: { find: { set: { filters: { secretNote: 'x' } } } } },
    `options: routes["${restaurant}"].find.set.filters: Invalid key secretNote: there is no such attribute`,
  ],
  [
    'a character that stands for values of requests',
    { [restaurant]: { find: { set: { filters: { name: ['\uffff0'] } } } } },
    `options: routes["${restaurant}"].find.set.filters: must not contain U+FFFF, is {"name":["\uffff0"]}`,
  ],
  [
    'an unknown part',
    { [restaurant]: { find: { defaults: {} } } },
    `options: routes["${restaurant}"].find.defaults: unknown key (did you mean "default"?)`,
  ],
  [
    'a value that is no parameter',
    { [restaurant]: { find: { set: 7 } } },
    `options: routes["${restaurant}"].find.set: must be an object of parameters or a query string, is 7`,
  ],
])('%s is an error at start', async (_, routes, message) => {
  expect(await problemsOf(routes)).toEqual([message]);
});

test('a rejected query is a warning if the tolerance is tolerant, and requests get its 400', async () => {
  const routes: Routes = { [restaurant]: { find: { default: { populate: 'chef', sort: 'nosuch' } } } };
  const content = await openGuide({ routes, tolerance: 'tolerant' });
  const message = `options: routes["${restaurant}"].find.default.sort: Invalid key nosuch: there is no such attribute`;
  expect(content.summary.warnings).toEqual([{ kind: 'wrong-setting', count: 1, message }]);
  expect((await ask(content, '/api/restaurants')).status).toBe(400);
  expect((await ask(content, '/api/restaurants', 'sort=name')).status).toBe(200);
});

test('an export is loaded tolerantly unless strict is set', async () => {
  const source = join(import.meta.dirname, '../conformance/museum/export.tar.gz');
  const uid = 'plugin::upload.file';
  const routes: Routes = { [uid]: { find: { set: { sort: 'nosuch' } } } };
  const message = `options: routes["${uid}"].find.set.sort: Invalid key nosuch`;
  const { warnings } = (await openShared(source, { routes })).summary;
  expect(warnings).toContainEqual({ kind: 'wrong-setting', count: 1, message });
  await expect(openShared(source, { routes, tolerance: 'strict' })).rejects.toThrow(message);
});

test('root parameters of the dialect may be set', async () => {
  const routes: Routes = { [users]: { find: { default: { limit: 1 } } } };
  const content = await openGuide({ dialect: 'strapi', routes, tokens });
  const { body } = await ask(content, '/api/users', '', { token: 'all' });
  expect(body).toHaveLength(1);
  expect(await problemsOf(routes)).toEqual([`options: routes["${users}"].find.default.limit: unknown parameter`]);
});
