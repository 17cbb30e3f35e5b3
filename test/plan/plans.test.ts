import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { encodeQuery, openGuide, sha256 } from '../support/guide.ts';

/**
 * Expected plans as text, one file of queries and plans each: a changed plan is a text diff to be judged by a reader.
 * `LECTERN_WRITE_PLANS=1` writes them anew.
 */
const folder = join(import.meta.dirname, 'plans');

const queries = {
  'one-value': '/api/restaurants?filters[slug][$eq]=rye',
  'fewest-rows-first':
    '/api/restaurants?filters[vegan]=true&filters[seats][$between][0]=10&filters[seats][$between][1]=20&filters[id]=4',
  'two-hops': '/api/restaurants?filters[chef][mentor][stars][$gte]=2',
  'nothing-related-counts': '/api/restaurants?filters[categories][rank][$null]=true',
  'negation-at-the-leaves':
    '/api/restaurants?filters[$not][$or][0][seats][$lt]=40&filters[$not][$or][1][categories][rank][$eq]=1',
  'negated-relation-to-many': '/api/restaurants?filters[$not][categories][rank]=3&filters[vegan]=true',
  'negation-inside-a-relation': '/api/restaurants?filters[$not][categories][$not][rank]=3',
  'or-of-and':
    '/api/restaurants?filters[$or][0][vegan]=true&filters[$or][0][seats][$gt]=30&filters[$or][1][name][$containsi]=A',
  'status-and-locale': '/api/articles?filters[title][$startsWith]=F&locale=en',
  'no-filter': '/api/restaurants',
};

let content: Content;
beforeAll(async () => {
  content = await openGuide({ dialect: 'document' });
});

test.each(Object.entries(queries))('%s', (name, query) => {
  const [path, text] = query.split('?');
  const { status, plan, page, stages } = content.explain(text ? `${path}?${encodeQuery(text)}` : path);
  expect(status, plan).toBe(200);
  expect(stages.map(({ stage }) => stage)).toEqual(
    ['parse', 'bind', plan ? 'plan' : '', 'filter', 'page', 'project', 'write'].filter((stage) => stage !== ''),
  );
  const file = join(folder, `${name}.txt`);
  const expected = `${query}\n\n${plan || 'every row that may be seen\n'}\npage: ${page}\n`;
  if (process.env.LECTERN_WRITE_PLANS) writeFileSync(file, expected);
  expect(existsSync(file) && readFileSync(file, 'utf8')).toBe(expected);
});

test('only callers with full access get plan and times in headers', async () => {
  const guarded = await openGuide({ tokens: [{ name: 'all', sha256: sha256('all'), type: 'full-access' }] });
  const url = '/api/restaurants?filters[id]=3';
  const explained = await guarded.answer(url, { authorization: 'Bearer all', explains: true });
  expect(decodeURI(explained.headers['X-Lectern-Plan'])).toContain('id $eq 3');
  expect(explained.headers['Server-Timing']).toMatch(/^parse;dur=[\d.]+, bind;dur=/);
  const plain = await guarded.answer(url, { explains: true });
  expect(Object.keys(plain.headers).sort()).toEqual([
    'Cache-Control',
    'Content-Type',
    'X-Lectern-Snapshot',
    'X-Lectern-Version',
  ]);
  expect(explained.body.equals(plain.body)).toBe(true);
});

test('the header with the plan is truncated at 4 KiB and states the number of omitted lines', async () => {
  const guarded = await openGuide({ tokens: [{ name: 'all', sha256: sha256('all'), type: 'full-access' }] });
  const urlOf = (count: number) => {
    const filters = Array.from({ length: count }, (_, i) => `filters[$or][${i}][name][$contains]=é${i}`);
    return `/api/restaurants?${encodeQuery(filters.join('&'))}`;
  };
  const headerOf = async (count: number) => {
    const { headers } = await guarded.answer(urlOf(count), { authorization: 'Bearer all', explains: true });
    return headers['X-Lectern-Plan'];
  };
  const linesOf = (count: number) => guarded.explain(urlOf(count)).plan.split('\n');

  expect(decodeURI(await headerOf(10)).split('\n')).toEqual(linesOf(10));
  const header = await headerOf(90);
  expect(header).toMatch(/^[\x21-\x7e]*$/);
  expect(header.length).toBeLessThanOrEqual(4096);
  expect(header.length).toBeGreaterThan(3900);
  const shown = decodeURI(header).split('\n');
  const [, left] = /^\+(\d+) more$/.exec(shown.pop()!)!;
  const lines = linesOf(90);
  expect(shown).toEqual(lines.slice(0, shown.length));
  expect(shown.length + Number(left)).toBe(lines.length);
});

test('the explanation of a query does not depend on the queries before it', () => {
  const url = `/api/restaurants?${encodeQuery('filters[chef][mentor][stars][$gte]=2&sort=seats:desc')}`;
  const explained = () => {
    const { plan, page, cost, stages } = content.explain(url);
    return { plan, page, cost, stages: stages.map(({ stage, cost }) => ({ stage, cost })) };
  };
  const first = explained();
  const ofStages = first.stages.reduce((sum, { cost }) => sum + cost, 0);
  expect(Math.abs(first.cost!.total - ofStages)).toBeLessThan(first.stages.length);
  for (let i = 0; i < 100; i++) {
    content.find('restaurants', { filters: { chef: { mentor: { stars: { $gte: 2 } } } } });
    expect(explained()).toEqual(first);
  }
});

test('a count is explained by all of its stages', () => {
  const { status, stages, cost } = content.explain('/api/users/count?filters[id][$gt]=0');
  expect(status).toBe(200);
  expect(stages.map(({ stage }) => stage)).toEqual(['parse', 'bind', 'plan', 'filter', 'write']);
  expect(cost!.total).toBeGreaterThan(0);
});

test('explains a reply without a body', () => {
  const missing = '/api/users/999999';
  expect(content.explain(missing)).toMatchObject({ status: 204, bytes: 0 });
});
