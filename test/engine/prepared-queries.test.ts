import { describe, expect, test } from 'vitest';
import type { OpenOptions } from '../../src/index.ts';
import { caseCount } from '../support/cases.ts';
import { ask, encodeQuery, openGuide } from '../support/guide.ts';

const figures = (content: Awaited<ReturnType<typeof openGuide>>) => content.history.cacheFigures.preparedQueries!;

test('queries that differ only in operands and page share one prepared query', async () => {
  const content = await openGuide();
  for (let seats = 1; seats <= 20; seats++) {
    const query = `filters[seats][$gte]=${seats}&pagination[page]=${seats}`;
    await content.answer(`/api/restaurants?${encodeQuery(query)}`);
  }
  expect(figures(content)).toMatchObject({ hits: 19, misses: 1 });
  await content.answer(`/api/restaurants?${encodeQuery('filters[seats][$lte]=1&pagination[page]=1')}`);
  expect(figures(content)).toMatchObject({ hits: 19, misses: 2 });
});

test('prepared queries have byte budgets, each and in total, and one above is answered without being kept', async () => {
  const content = await openGuide({ cacheBytes: 0, budgets: { queryBytes: 65_536 } });
  /** `form` as a number in base 2 decides how the first ten of the conditions compare. */
  const ask = async (conditions: number, form: number) => {
    const parts = Array.from({ length: conditions }, (_, i) => {
      const operator = (form >> i) & 1 && i < 10 ? '$gt' : '$lt';
      return `filters[$and][${i % 4}][$or][${i >> 2}][id][${operator}]=${i}`;
    });
    const { status } = await content.answer(`/api/restaurants?${encodeQuery(parts.join('&'))}`);
    expect(status).toBe(200);
  };
  // a quarter of the budget, unless all cases run
  const share = caseCount(1, 0.25);
  content.history.served.takeShare(share);
  const forms = 600 * share;
  for (let form = 0; form < forms; form++) await ask(90, form);
  expect(figures(content).misses).toBe(forms);
  expect(figures(content).bytes).toBeGreaterThan(share * 8 * 2 ** 20);
  expect(figures(content).bytes).toBeLessThanOrEqual(share * 16 * 2 ** 20);
  const before = figures(content).bytes;
  await ask(300, 1);
  await ask(300, 1);
  expect(figures(content)).toMatchObject({ bytes: before, hits: 0, misses: forms + 2 });
});

test('a prepared query keeps nothing of the page that was requested first', async () => {
  const options: OpenOptions = { cacheBytes: 0, dialect: 'strapi' };
  const windows = [1, 2, 5, 100].flatMap((size) => [1, 2].map((page) => `[page]=${page}&pagination[pageSize]=${size}`));
  const paths = ['populate=*', 'populate=localizations', 'populate[related][populate]=*'].map((populate) =>
    windows.map((window) => `/api/articles?${encodeQuery(`locale=*&sort=id&${populate}&pagination${window}`)}`),
  );
  for (const ofForm of paths) {
    const alone = new Map<string, string>();
    for (const path of ofForm) alone.set(path, String((await (await openGuide(options)).answer(path)).body));
    expect(new Set(alone.values()).size).toBeGreaterThan(3);
    for (const order of [ofForm, [...ofForm].reverse()]) {
      const content = await openGuide(options);
      for (const path of [...order, ...order]) expect(String((await content.answer(path)).body)).toBe(alone.get(path));
      expect(figures(content).misses).toBe(1);
    }
  }
});

test('a request costs the same from a prepared query, with conditions below populate', async () => {
  const urlOf = (page: number) =>
    `/api/restaurants?${encodeQuery(`populate[nearby][filters][name][$contains]=a&populate[nearby][sort]=chef.name&pagination[page]=${page}`)}`;
  const cost = (await openGuide()).explain(urlOf(1)).cost!.total;
  const seen = new Set<number>();
  for (let percent = 5; percent <= 110; percent += 5) {
    const content = await openGuide({ cacheBytes: 0, budgets: { steps: Math.ceil((cost * percent) / 100) } });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await content.answer(urlOf(1))).status);
    expect([percent, ...new Set(statuses)]).toEqual([percent, statuses[0]]);
    seen.add(statuses[0]);
  }
  expect([...seen]).toEqual([400, 200]);
});

test('a list as pagination is the same error from a prepared query', async () => {
  const content = await openGuide();
  const message = (value: string) =>
    `Invalid value ${value} for pagination: expected an object, as in pagination[page]=1`;
  for (const [query, value] of [
    ['pagination[]=5', '["5"]'],
    ['pagination[]=6', '["6"]'],
    ['pagination[]=7&pagination[]=8', '["7","8"]'],
  ]) {
    expect((await ask(content, '/api/restaurants', query)).body.error!.message).toBe(message(value));
  }
  expect(() => content.find('restaurants', { pagination: ['5'] } as never)).toThrow(message('["5"]'));
});

describe('a parameter that Strapi ignores', () => {
  const dialect = 'strapi';
  const titles = '/api/articles?fields=title';

  test('is no part of the form, wherever it stands', async () => {
    const content = await openGuide({ dialect, cacheBytes: 0 });
    const reply = await content.answer(titles);
    const { bytes } = figures(content);
    for (const url of [
      `${titles}&cb=1`,
      `${titles}&cb=2&utm_source=a%20b&cb&token=abc==`,
      '/api/articles?_=3&fields=title&x.y-z=',
      '/api/articles?fields=title&cb=4&cb=5',
    ]) {
      expect(await content.answer(url)).toEqual(reply);
      expect(figures(content).bytes).toBe(bytes);
    }
    await content.answer('/api/articles?cb=1&fields=id');
    expect(figures(content).bytes).toBeGreaterThan(bytes);
  });

  test('is a part of the form where a limit of the parser may apply', async () => {
    const content = await openGuide({ dialect, cacheBytes: 0, arrayLimit: 3, budgets: { depth: 2, parameters: 5 } });
    const status = async (rest: string) => (await content.answer(`${titles}${rest}`)).status;
    expect(await status('')).toBe(200);
    expect(await status('&cb[a][b][c]=1')).toBe(400);
    expect(await status('&cb=[a][b][c]=1')).toBe(400);
    expect(await status('&cb=1'.repeat(4))).toBe(400);
    expect(await status('&a&b&c&d&e')).toBe(400);
    expect(await status('&lookup=1')).toBe(400);
    expect(await status('&page=1')).toBe(400);
  });

  test('is an error in the dialect document, before and after a query without it', async () => {
    const content = await openGuide({ cacheBytes: 0 });
    for (const _ of [1, 2]) {
      expect((await content.answer(`${titles}&cb=1`)).status).toBe(400);
      expect((await content.answer(titles)).status).toBe(200);
    }
  });
});

test('a flood of forms that are requested once leaves the prepared queries in use', async () => {
  const preparedBytes = 2 ** 18;
  const content = await openGuide({ dialect: 'strapi', cacheBytes: 0, preparedBytes });
  const ask = (query: string) => content.answer(`/api/restaurants?${encodeQuery(query)}`);
  const used = ['sort=name', 'sort=seats', 'fields=name'];
  for (const query of used) await ask(query);
  for (let round = 0; round < 5; round++) {
    // four times what fits
    for (let form = 0; form < 200; form++) await ask(`x[a${round}b${form}]=1`);
    const before = figures(content).hits;
    for (const query of used) await ask(query);
    expect(figures(content).hits - before).toBe(used.length);
  }
  expect(figures(content).bytes).toBeLessThanOrEqual(preparedBytes);
  // one that comes again and again is kept after all
  const before = figures(content).hits;
  for (let request = 0; request < 100; request++) await ask('sort=id');
  expect(figures(content).hits - before).toBeGreaterThan(30);
});

test('a cache of prepared queries without memory answers all the same', async () => {
  const content = await openGuide({ preparedBytes: 0, cacheBytes: 0 });
  for (const _ of [1, 2, 3]) expect((await content.answer('/api/restaurants?sort=name')).status).toBe(200);
  expect(figures(content)).toEqual({ hits: 0, misses: 3, bytes: 0 });
});
