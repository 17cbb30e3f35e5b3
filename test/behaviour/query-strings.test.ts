// "Query strings" of the behaviour page: every limit is strict, and odd names are ordinary.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { ask, expectInvalidKey, idsOf, openGuide } from '../support/guide.ts';

let content: Content;
let strapi: Content;
beforeAll(async () => {
  content = await openGuide();
  strapi = await openGuide({ dialect: 'strapi' });
});

const dialects = () =>
  [
    ['document', content],
    ['strapi', strapi],
  ] as const;

async function refused(query: string, path = '/api/restaurants'): Promise<void> {
  for (const [dialect, either] of dialects()) {
    const { status, body } = await ask(either, path, query);
    expect(status, `${dialect}: ${query.slice(0, 80)}`).toBe(400);
    expect(body.data).toBeNull();
    expect(body.error).toMatchObject({ status: 400, name: 'ValidationError' });
  }
}

describe('arrays of at most 100 items', () => {
  const repeat = (count: number, item: (index: number) => string) =>
    Array.from({ length: count }, (_, i) => item(i)).join('&');

  test('indexed', async () => {
    const items = (count: number) => repeat(count, (index) => `filters[id][$in][${index}]=${index}`);
    expect(await idsOf(content, '/api/restaurants', items(100))).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 40,
    ]);
    await refused(items(101));
  });
  test('without numbers', async () => {
    expect(
      (
        await ask(
          content,
          '/api/chefs',
          repeat(100, () => 'fields[]=name'),
        )
      ).status,
    ).toBe(200);
    await refused(
      repeat(101, () => 'fields[]=name'),
      '/api/chefs',
    );
  });
  test('repeated', async () => {
    expect(
      (
        await ask(
          content,
          '/api/chefs',
          repeat(100, () => 'fields=name'),
        )
      ).status,
    ).toBe(200);
    await refused(
      repeat(101, () => 'fields=name'),
      '/api/chefs',
    );
  });
  test('sparse', async () => {
    await refused('populate[99999999]=chef');
    await refused('filters[id][$in][100]=1');
  });
});

test('depth of at most 20 brackets', async () => {
  const negations = (count: number) => `filters${'[$not]'.repeat(count)}[seats][$eq]=40`;
  expect(await idsOf(content, '/api/restaurants', `${negations(18)}&sort=id`)).toEqual([1, 9]);
  await refused(negations(19));
  await refused(negations(300));
});

test('more than 1,000 parameters are an error, never dropped silently', async () => {
  const parameters = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`).join('&');
  expect(await idsOf(strapi, '/api/chefs', `${parameters(999)}&filters[id]=51`)).toEqual([51]);
  await refused(`${parameters(1000)}&filters[id]=51`, '/api/chefs');
});

test('a key without = is null, a key with = is empty text', async () => {
  expect(await idsOf(content, '/api/restaurants', 'filters[name][$eq]')).toEqual([12]);
  expect(await idsOf(content, '/api/restaurants', 'filters[name][$eq]=')).toEqual([11]);
});

describe('names of the object prototype are ordinary unknown names', () => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];

  test.each(names)('filters[%s]', async (name) => {
    for (const [dialect, either] of dialects()) {
      const answer = await ask(either, '/api/restaurants', `filters[${name}][$eq]=1`);
      expectInvalidKey(dialect, answer, 'filters', name, null, `Invalid key ${name}`);
    }
  });
  test.each(names)('filters[chef][%s]', async (name) => {
    for (const [dialect, either] of dialects()) {
      const answer = await ask(either, '/api/restaurants', `filters[chef][${name}]=1`);
      expectInvalidKey(dialect, answer, 'filters', name, 'chef', `Invalid key ${name} at chef`);
    }
  });
  test.each(names)('%s as an operator', (name) => refused(`filters[name][${name}]=1`));
  test.each(names)('sort, fields and populate by %s', async (name) => {
    await refused(`sort=${name}`);
    await refused(`sort[${name}]=asc`);
    await refused(`sort=chef.${name}`);
    await refused(`fields=${name}`);
    await refused(`populate=${name}`);
    await refused(`populate[${name}]=true`);
    await refused(`populate[chef][${name}]=true`);
    await refused(`populate=chef.${name}`);
    await refused(`populate[sections][on][${name}]=true`);
  });
  test.each(names)('%s as a root parameter is rejected in document and ignored in strapi', async (name) => {
    for (const query of [`${name}=1`, `${name}[filters][id]=1`]) {
      expect((await ask(content, '/api/chefs', query)).status, query).toBe(400);
      expect(await idsOf(strapi, '/api/chefs', query), query).toEqual([51, 52, 53, 54, 55]);
    }
  });
  test('__proto__ inside a parameter is an error, also beside a parameter of that name', async () => {
    await refused('__proto__=1&filters[__proto__][id]=51', '/api/chefs');
    await refused('filters[__proto__][id]=51&__proto__=1', '/api/chefs');
  });
  test.each(names)('%s as a path, a locale or a status', async (name) => {
    expect((await ask(content, `/api/${name}`)).status).toBe(404);
    expect((await ask(content, `/api/restaurants/${name}`)).status).toBe(404);
    expect((await ask(content, '/api/articles', `locale=${name}`)).status).toBe(400);
    expect((await ask(content, '/api/articles', `status=${name}`)).status).toBe(400);
    expect(await idsOf(strapi, '/api/articles', `locale=${name}`)).toEqual([]);
  });
  test('no request changes a prototype', async () => {
    await ask(content, '/api/chefs', '__proto__[polluted]=1&constructor[prototype][polluted]=1');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

test('invalid UTF-8 is never a 500', async () => {
  for (const query of [
    'filters[name]=%ff',
    'filters[name]=%',
    '%=1',
    'filters[name]=%00',
    'filters[name]=%ed%a0%80',
    '?',
    '&&',
    '=',
  ]) {
    const { status } = await content.answer(`/api/chefs?${query}`);
    expect([200, 400], query).toContain(status);
  }
});

describe('a key is the same however it is encoded', () => {
  const idsAt = async (query: string) => {
    const { status, body } = await content.answer(`/api/restaurants?fields=id&${query}`);
    expect(status, query).toBe(200);
    return JSON.parse(body.toString()).data.map(({ id }: { id: number }) => id);
  };

  test.each([
    ['filters[seats][$null]=false', 'filters[seats][$nul%6c]=false'],
    ['filters[seats][$null]=true', 'filters%5Bseats%5D%5B%24null%5D=true'],
    ['filters[seats][$notNull]=false', 'filters[seats][$not%4eull]=false'],
    ['filters[seats][$gt]=40', 'filters[%73eats][$%67t]=40'],
    ['pagination[pageSize]=2', '%70agination[page%53ize]=2'],
  ])('%s', async (plain, encoded) => {
    expect(await idsAt(encoded)).toEqual(await idsAt(plain));
  });
});
