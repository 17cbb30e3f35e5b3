import { expect, test } from 'vitest';
import type { OpenOptions } from '../../src/index.ts';
import { caseCount } from '../support/cases.ts';
import { ask, encodeQuery, openGuide } from '../support/guide.ts';

const figures = (content: Awaited<ReturnType<typeof openGuide>>) => content.served.cacheFigures.preparedQueries!;

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
  content.served.takeShare(share);
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
