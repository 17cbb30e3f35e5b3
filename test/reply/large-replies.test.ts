// The size of a long reply is estimated before the rest is written. The estimate changes neither the reply nor
// the exact value of a budget.
import { describe, expect, test, vi } from 'vitest';
import { Content } from '../../src/content/content.ts';
import { CostBudget } from '../../src/core/cost-budget.ts';
import { dialectFor } from '../../src/core/dialect.ts';
import type { JsonSnapshot, OpenOptions } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { caseCount } from '../support/cases.ts';
import { openShared } from '../support/open-shared.ts';

/** Bytes written before the rest is estimated. */
const estimatedAfter = 2 ** 20;
/** Serves the demo with the given options and without cached replies. */
const openDemo = (options: OpenOptions = {}) => openShared('data/demo', { cacheBytes: 0, ...options });
const pages = (query: string, pageSize: number, page = 1) =>
  `/api/${query}&pagination[pageSize]=${pageSize}&pagination[page]=${page}`;
const bodyOf = async (content: Content, url: string) => {
  const { status, body } = await content.answer(url, {});
  const text = body.toString();
  return { status, text, json: () => JSON.parse(text) };
};

const queries = [
  'authors?populate[articles][populate]=*',
  'articles?populate[author][populate][articles][populate]=categories&populate[categories]=true',
  'categories?populate[articles][sort]=title:desc&populate[articles][filters][premium]=true&populate[articles][populate]=*',
  'articles?populate[parts][on][block.recommendation][populate][articles][populate]=*&populate[parts][on][block.picture][populate]=*&populate[related][populate]=*',
  'teams?populate[members][populate][articles][count]=true&populate[members][populate][mentor][populate]=*',
];

describe.each(queries)('%s', (query) => {
  test('equals the concatenation of its pages of one entry', async () => {
    const content = await openDemo();
    const { text, json } = await bodyOf(content, pages(query, 100));
    const reply = json();
    const { data } = reply;
    // no superfluous bytes
    expect(text).toBe(JSON.stringify(reply));
    // every third unless all cases run
    for (let i = 0; i < data.length; i += caseCount(1, 3)) {
      expect((await bodyOf(content, pages(query, 1, i + 1))).json().data).toEqual([data[i]]);
    }
    expect((await bodyOf(content, pages(query, 1, data.length + 1))).json().data).toHaveLength(
      data.length < 100 ? 0 : 1,
    );
  });

  test('is answered within its exact budgets and rejected with one unit less', async () => {
    const url = pages(query, 100);
    const content = await openDemo();
    const charge = vi.spyOn(CostBudget.prototype, 'charge');
    const { status, text, json } = await bodyOf(content, url);
    expect(status).toBe(200);
    // plans are added up on budgets of their own; writing is charged last, to that of the request
    const { charged } = charge.mock.contexts.at(-1) as CostBudget;
    charge.mockRestore();
    const needed = { bytes: Buffer.byteLength(text), nodes: nodesIn(json()), steps: Math.ceil(charged) };
    for (const [name, amount] of Object.entries(needed)) {
      const answered = await bodyOf(await openDemo({ budgets: { [name]: amount } }), url);
      expect(answered.status, name).toBe(200);
      const refused = await bodyOf(await openDemo({ budgets: { [name]: amount - 1 } }), url);
      expect(refused.status, name).toBe(400);
      expect(refused.json().error.message).toContain(`budgets.${name}`);
    }
  });
});

test('some replies are long enough for an estimate of their size', async () => {
  const content = await openDemo();
  const replies = await Promise.all(queries.map((query) => bodyOf(content, pages(query, 100))));
  const lengths = replies.map(({ text }) => text.length);
  expect(lengths.filter((length) => length > 2 * estimatedAfter).length).toBeGreaterThan(2);
});

test('a reply far above a budget is rejected before most of it is written', async () => {
  const copied = vi.spyOn(Buffer.prototype, 'copy');
  const content = await openDemo({ budgets: { nodes: 3000 } });
  copied.mockClear();
  expect((await bodyOf(content, pages(queries[0], 100))).status).toBe(400);
  const bytes = copied.mock.calls.reduce((total, [, , start, end]) => total + Number(end ?? 0) - Number(start ?? 0), 0);
  expect(bytes).toBeLessThan(3 * estimatedAfter);
});

test('the estimate leaves room for lists that Strapi 4 leaves out with their names', async () => {
  const relation = { type: 'relation', relation: 'morphToMany' };
  const attributes = { text: { type: 'text' }, thingsThatTheEntryMentions: relation };
  const contentTypes = [{ info: { singularName: 'note', pluralName: 'notes' }, attributes }];
  const note = Array.from({ length: 100 }, (_, i) => ({ id: i + 1, documentId: `n${i}`, text: 'x'.repeat(20_000) }));
  const roles = [{ type: 'public', permissions: ['api::note.note.find'] }];
  const loaded = await loadSnapshot({ contentTypes, entries: { note }, roles } as unknown as JsonSnapshot);
  const version4 = { ...loaded, dialect: dialectFor('strapi', '4') };
  const serve = (options: OpenOptions = {}) => new Content(version4, readOptions({ cacheBytes: 0, ...options }), 0);
  const url = pages('notes?populate=*', 100);
  const { status, text } = await bodyOf(serve(), url);
  expect(status).toBe(200);
  expect(text).not.toContain('thingsThatTheEntryMentions');
  const bytes = Buffer.byteLength(text);
  expect((await bodyOf(serve({ budgets: { bytes } }), url)).status).toBe(200);
});

/** Entries, components and files are the objects that have an id. */
function nodesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = !Array.isArray(value) && typeof (value as { id?: unknown }).id === 'number' ? 1 : 0;
  const parts: unknown[] = Object.values(value);
  return parts.reduce<number>((total, part) => total + nodesIn(part), own);
}
