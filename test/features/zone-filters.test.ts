// Filters on the components of a dynamic zone.
import { describe, expect, test } from 'vitest';
import { ask, idsOf } from '../support/guide.ts';
import { openShared } from '../support/open-shared.ts';

type Entry = { id: number; parts: { __component: string; text?: string; speaker?: { name: string } | null }[] };

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  const open = () => openShared('data/demo', { dialect, maxLimit: 2000, features: ['zoneFilters'] });
  const wide = 'pagination[limit]=2000&fields=id';

  test('finds the entries with a component that meets all conditions', async () => {
    const content = await open();
    const { body } = await ask(content, '/api/articles', `${wide}&populate[parts][on][block.quote]=true`);
    const quotes = (body.data as Entry[]).map(({ id, parts }) => ({ id, texts: parts.map(({ text }) => text!) }));
    const idsWhere = (test: (text: string) => boolean) =>
      quotes.filter(({ texts }) => texts.some(test)).map(({ id }) => id);
    const filter = (path: string) => idsOf(content, '/api/articles', `${wide}&${path}`);
    const found = await filter('filters[parts][on][block.quote][text][$contains]=the');
    expect(found).toEqual(idsWhere((text) => text.includes('the')));
    expect(found.length).toBeGreaterThan(10);
    const both =
      'filters[parts][on][block.quote][text][$contains]=the&filters[parts][on][block.quote][text][$contains]=a';
    expect(await filter(both)).toEqual(idsWhere((text) => text.includes('the') || text.includes('a')));
    const all = quotes.map(({ id }) => id);
    const negated = await filter('filters[$not][parts][on][block.quote][text][$contains]=the');
    const without = all.filter((id) => !found.includes(id));
    expect(negated).toEqual(dialect === 'document' ? without : idsWhere((text) => !text.includes('the')));
  });

  test.each([
    ['filters[parts][on][block.nope][text]=x', 'block.nope', 'known: block.'],
    ['filters[parts][text]=x', 'parts', 'a dynamic zone takes conditions on its components'],
    ['filters[parts][on][block.quote]=x', 'block.quote', 'expected conditions'],
    ['filters[parts][on][block.quote][wrong]=x', 'wrong', ''],
  ])('rejects %s', async (query, key, message) => {
    const { status, body } = await ask(await open(), '/api/articles', query);
    expect([status, body.error!.details.key]).toEqual([400, key]);
    expect(body.error!.message).toContain(message);
  });

  test('explains the filter', async () => {
    const url = '/api/articles?filters[parts][on][block.quote][text][$contains]=the';
    expect((await open()).explain(url).plan).toContain('api::article.article: through parts on block.quote');
  });
});
