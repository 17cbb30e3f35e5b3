// "Filters" of the behaviour page: operands that do not parse, and names that may not be used.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { ask, encodeQuery, expectInvalidKey, openGuide } from '../support/guide.ts';

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  let content: Content;
  beforeAll(async () => {
    content = await openGuide({ dialect });
  });

  test.each([
    ['seats', '$gt', 'many'],
    ['seats', '$eq', '12 seats'],
    ['visits', '$lte', 'lots'],
    ['score', '$ne', 'good'],
    ['tax', '$lt', '10,01'],
  ])('an invalid operand is a 400 that names field, operator and value: %s %s %s', async (...names) => {
    const [field, operator, value] = names;
    const { status, body } = await ask(content, '/api/restaurants', `filters[${field}][${operator}]=${value}`);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ status: 400, name: 'ValidationError' });
    const { message, details } = body.error ?? {};
    for (const name of names) expect(JSON.stringify({ message, details })).toContain(name);
  });

  test.each([
    ['a date', 'filters[opened][$gt]=abc', 'Invalid format, expected yyyy-MM-dd', '$gt', 'opened', 'abc'],
    [
      // a real service was seen to answer so
      'a datetime',
      'filters[inspectedAt][$gte]=soon',
      'Invalid format, expected a timestamp or an ISO date',
      '$gte',
      'inspectedAt',
      'soon',
    ],
    [
      'a time',
      'filters[kitchenOpens][$gte]=12:00',
      'Invalid time format, expected HH:mm:ss.SSS',
      '$gte',
      'kitchenOpens',
      '12:00',
    ],
    ['text', 'filters=abc', 'The filters parameter must be an object or an array', 'filters', null, 'abc'],
    ['empty text', 'filters=', 'The filters parameter must be an object or an array', 'filters', null, ''],
  ])('is a 400 as recorded, or with its location: %s', async (_title, query, message, key, path, value) => {
    const { status, body } = await ask(content, '/api/restaurants', query);
    expect(status).toBe(400);
    const error = { status: 400, name: 'ValidationError', message, details: {} };
    if (dialect === 'strapi') expect(body).toEqual({ data: null, error });
    else expect(body.error!.details).toEqual({ key, path, source: 'query', param: 'filters', value });
  });

  test.each([
    ['$between of one value', 'filters[seats][$between][0]=1'],
    [
      '$between of three values',
      'filters[seats][$between][0]=1&filters[seats][$between][1]=2&filters[seats][$between][2]=3',
    ],
    ['$between of a word', 'filters[seats][$between][0]=1&filters[seats][$between][1]=x'],
    ['a word in a list', 'filters[seats][$in][0]=1&filters[seats][$in][1]=x'],
    ['a word below a relation', 'filters[chef][stars]=x'],
    ['a word for a related id', 'filters[chef]=x'],
    ['a word under a negation', 'filters[$not][seats]=x'],
    ['a day that does not exist', 'filters[opened]=2026-02-30'],
    ['an hour that does not exist', 'filters[kitchenOpens]=24:00:00'],
    ['a month that does not exist', 'filters[inspectedAt]=2026-13-01T00:00:00.000Z'],
    ['a day that does not exist, in a datetime', 'filters[inspectedAt]=2026-02-30T00:00:00.000Z'],
    ['infinity', 'filters[seats]=Infinity'],
  ])('is a 400: %s', async (_title, query) => {
    const { status, body } = await ask(content, '/api/restaurants', query);
    expect(status, JSON.stringify(body)).toBe(400);
    expect(body.error?.name).toBe('ValidationError');
  });

  test.each<[title: string, path: string, query: string, key: string, where: string | null, message: string]>([
    ['an unknown field', 'restaurants', 'filters[nope][$eq]=1', 'nope', null, 'Invalid key nope'],
    ['… below a relation', 'restaurants', 'filters[chef][nope][$eq]=1', 'nope', 'chef', 'Invalid key nope at chef'],
    [
      '… two down',
      'restaurants',
      'filters[chef][mentor][nope]=1',
      'nope',
      'chef.mentor',
      'Invalid key nope at chef.mentor',
    ],
    [
      '… below a component',
      'restaurants',
      'filters[address][nope]=1',
      'nope',
      'address',
      'Invalid key nope at address',
    ],
    ['… in a branch', 'restaurants', 'filters[$or][0][nope]=1', 'nope', null, 'Invalid key nope'],
    ['an unknown operator', 'restaurants', 'filters[name][$foo]=1', '$foo', 'name', 'Invalid key $foo at name'],
    ['… on a relation', 'restaurants', 'filters[chef][$foo]=1', '$foo', 'chef', 'Invalid key $foo at chef'],
    [
      '… on a related field',
      'restaurants',
      'filters[chef][name][$foo]=1',
      '$foo',
      'chef.name',
      'Invalid key $foo at chef.name',
    ],
    ['… for groups', 'restaurants', 'filters[$foo][0][name]=1', '$foo', null, 'Invalid key $foo'],
    [
      'a private field',
      'restaurants',
      'filters[secretNote][$eq]=1',
      'secretNote',
      'secretNote',
      'Invalid key secretNote',
    ],
    ['a password', 'restaurants', 'filters[pin][$eq]=1', 'pin', 'pin', 'Invalid key pin'],
    [
      '… below relations',
      'chefs',
      'filters[restaurants][pin]=1',
      'pin',
      'restaurants.pin',
      'Invalid key pin at restaurants.pin',
    ],
    [
      'a dynamic zone',
      'restaurants',
      'filters[sections][heading][$contains]=a',
      'sections',
      'sections',
      'Invalid key sections',
    ],
    ['a polymorphic relation', 'bookmarks', 'filters[target][name]=a', 'target', 'target', 'Invalid key target'],
    ['… to many', 'bookmarks', 'filters[targets][id]=1', 'targets', 'targets', 'Invalid key targets'],
    [
      'a type the role may not read',
      'restaurants',
      'filters[licence][number]=L-1',
      'licence',
      'licence',
      'Invalid key licence',
    ],
    [
      '… below a relation',
      'chefs',
      'filters[restaurants][licence][id]=1',
      'licence',
      'restaurants.licence',
      'Invalid key licence at restaurants.licence',
    ],
    ['… a user', 'chefs', 'filters[account][username]=John', 'account', 'account', 'Invalid key account'],
    [
      '… by its key alone',
      'restaurants',
      'filters[licence][$notNull]=true',
      'licence',
      'licence',
      'Invalid key licence',
    ],
  ])('Invalid key: %s', async (_title, path, query, key, where, message) => {
    expectInvalidKey(dialect, await ask(content, `/api/${path}`, query), 'filters', key, where, message);
  });

  test.each([
    ...['filters[$and]=', 'filters[$or]=abc', 'filters[$not]=abc', 'filters[$eq]=1', 'filters[$null]=true'],
    ...['filters[name][$in][$eq]=1', 'filters[name][$eq][a]=1', 'filters[name][a]=1', 'filters[$or][0]=a'],
    ...['filters[$not][mentees][$not][stars][$ne]=0', 'filters[mentor][$not][name][$endsWithi]=IEN'],
    ...['filters[0][name]=a', 'filters[chef][0][name]=a', 'filters[$and][0]', 'filters', 'filters[]', 'filters[][]=1'],
  ])('no mistake is a 500: %s', async (query) => {
    for (const path of ['/api/restaurants', '/api/chefs']) {
      expect([200, 400]).toContain((await ask(content, path, query)).status);
    }
  });
});

describe('the budget of steps', () => {
  const many = Array.from({ length: 100 }, (_, i) => `filters[$or][${i}][name][$containsi]=${i}`).join('&');
  const refusal = { name: 'ValidationError', details: { limit: 20_000, setting: 'budgets.steps' } };

  test.each([0, 2 ** 20])('is enforced with a 400 that names it, whatever is cached (%d bytes)', async (cacheBytes) => {
    const content = await openGuide({ budgets: { steps: 20_000 }, cacheBytes });
    for (const query of [many, 'filters[name][$containsi]=a&sort=chef.name&fields=id&pagination[pageSize]=1', many]) {
      const { status, body } = await ask(content, '/api/restaurants', query);
      expect(status).toBe(query === many ? 400 : 200);
      if (query === many) expect(body.error).toMatchObject(refusal);
    }
  });

  test('charges cached rows as much as finding them', async () => {
    const conditions = Array.from({ length: 20 }, (_, i) => `filters[$or][${i}][name][$containsi]=${i}`);
    const filter = conditions.join('&');
    const both = [filter, ...conditions.map((part) => part.replace('filters', 'populate[chef][filters]'))].join('&');
    const withSteps = (steps: number, cacheBytes: number) => openGuide({ budgets: { steps }, cacheBytes });
    // enough for the one, not for both
    const steps = (await openGuide()).explain(`/api/restaurants?${encodeQuery(filter)}`).cost!.total;
    expect((await ask(await withSteps(steps - 1, 0), '/api/restaurants', filter)).status).toBe(400);
    const warm = await withSteps(steps, 2 ** 20);
    expect((await ask(warm, '/api/restaurants', filter)).status).toBe(200);
    expect((await ask(warm, '/api/restaurants', both)).status).toBe(400);
    expect((await ask(await withSteps(steps, 0), '/api/restaurants', both)).status).toBe(400);
  });

  test('answers the same query with a higher budget', async () => {
    expect((await ask(await openGuide(), '/api/restaurants', many)).status).toBe(200);
  });
});
