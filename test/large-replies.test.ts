// A reply that turns out long is counted ahead before the rest is written: it must be the same, and refused at the same
// borders, as if it had not been.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CostBudget } from '../src/base/cost-budget.ts';
import type { Content, OpenOptions } from '../src/index.ts';
import { open } from '../src/index.ts';

const counted = 2 ** 20;
const openDemo = (options: OpenOptions = {}) => open('data/demo', { cacheBytes: 0, ...options });
const pages = (query: string, pageSize: number, page = 1) =>
  `/api/${query}&pagination[pageSize]=${pageSize}&pagination[page]=${page}`;
const bodyOf = async (content: Content, url: string) => {
  const { status, body } = await content.answer(url, {});
  return { status, text: body.toString(), json: JSON.parse(body.toString()) };
};

const queries = [
  'authors?populate[articles][populate]=*',
  'articles?populate[author][populate][articles][populate]=categories&populate[categories]=true',
  'categories?populate[articles][sort]=title:desc&populate[articles][filters][premium]=true&populate[articles][populate]=*',
  'articles?populate[parts][on][block.recommendation][populate][articles][populate]=*&populate[parts][on][block.picture][populate]=*&populate[related][populate]=*',
  'teams?populate[members][populate][articles][count]=true&populate[members][populate][mentor][populate]=*',
];

afterEach(() => vi.restoreAllMocks());

describe.each(queries)('%s', (query) => {
  test('is what its pages of one are', async () => {
    const content = await openDemo();
    const { text, json } = await bodyOf(content, pages(query, 100));
    const { data } = json;
    // not a byte between what is copied but those that JSON needs
    expect(text).toBe(JSON.stringify(json));
    const each: unknown[] = [];
    for (let i = 1; i <= data.length; i++) each.push((await bodyOf(content, pages(query, 1, i))).json.data[0]);
    expect(data).toEqual(each);
  });

  test('is answered within its bytes, entries and steps, and refused with one less', async () => {
    const url = pages(query, 100);
    const content = await openDemo();
    const spend = vi.spyOn(CostBudget.prototype, 'charge');
    const { status, text, json } = await bodyOf(content, url);
    expect(status).toBe(200);
    const steps = spend.mock.calls.reduce((total, [each]) => total + each, 0);
    spend.mockRestore();
    const needed = { bytes: Buffer.byteLength(text), nodes: nodesIn(json), steps: Math.ceil(steps) };
    for (const [name, amount] of Object.entries(needed)) {
      const answered = await bodyOf(await openDemo({ budgets: { [name]: amount } }), url);
      expect(answered.status, name).toBe(200);
      const refused = await bodyOf(await openDemo({ budgets: { [name]: amount - 1 } }), url);
      expect(refused.status, name).toBe(400);
      expect(refused.json.error.message).toContain(`budgets.${name}`);
    }
  });
});

test('some of them are long enough to be counted ahead', async () => {
  const content = await openDemo();
  const replies = await Promise.all(queries.map((query) => bodyOf(content, pages(query, 100))));
  const lengths = replies.map(({ text }) => text.length);
  expect(lengths.filter((length) => length > 2 * counted).length).toBeGreaterThan(2);
});

test('a reply far beyond a budget is refused before most of it is written', async () => {
  const copied = vi.spyOn(Buffer.prototype, 'copy');
  const content = await openDemo({ budgets: { nodes: 3000 } });
  copied.mockClear();
  expect((await bodyOf(content, pages(queries[0], 100))).status).toBe(400);
  const bytes = copied.mock.calls.reduce((total, [, , start, end]) => total + Number(end ?? 0) - Number(start ?? 0), 0);
  expect(bytes).toBeLessThan(3 * counted);
});

/** Entries, components and files are the objects that have an id. */
function nodesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = !Array.isArray(value) && typeof (value as { id?: unknown }).id === 'number' ? 1 : 0;
  const parts: unknown[] = Object.values(value);
  return parts.reduce<number>((total, part) => total + nodesIn(part), own);
}
