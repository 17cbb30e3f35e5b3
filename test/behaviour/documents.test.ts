// "Draft and published, locales, documents" of the behaviour page.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import {
  accueil,
  ada,
  fifth,
  first,
  firstDraft,
  home,
  lodzCafe,
  premier,
  quatrieme,
  second,
  secondDraft,
  thirdDraft,
} from '../support/bodies.ts';
import { ask, idsOf, openGuide, sha256 } from '../support/guide.ts';

const notFound = { data: null, error: { status: 404, name: 'NotFoundError', message: 'Not Found', details: {} } };

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  let content: Content;
  beforeAll(async () => {
    content = await openGuide({ dialect, tokens: [{ name: 'all', sha256: sha256('key'), type: 'full-access' }] });
  });
  const articles = (query: string) => idsOf(content, '/api/articles', `${query}&sort=id`, 'key');
  async function data(path: string, query = ''): Promise<unknown> {
    const { status, body } = await ask(content, path, query, { token: 'key' });
    expect(status, JSON.stringify(body)).toBe(200);
    return body.data;
  }

  test('reads return published entries of the default locale', async () => {
    expect(await data('/api/articles', 'sort=id')).toEqual([first, second, fifth]);
    expect(await articles('status=published')).toEqual([2, 6, 10]);
    expect(await articles('locale=en')).toEqual([2, 6, 10]);
  });

  test('status=draft returns drafts, which have no publishedAt', async () => {
    expect(await data('/api/articles', 'status=draft&sort=id')).toEqual([firstDraft, secondDraft, thirdDraft]);
  });

  test('locale selects one locale or all with *; an unknown locale is a 400 or finds nothing', async () => {
    expect(await data('/api/articles', 'locale=fr&sort=id')).toEqual([premier, quatrieme]);
    expect(await articles('locale=*')).toEqual([2, 4, 6, 9, 10]);
    if (dialect === 'strapi') expect(await articles('locale=zz')).toEqual([]);
    else expect((await ask(content, '/api/articles', 'locale=zz')).status).toBe(400);
    expect(await articles('locale=fr&status=draft')).toEqual([3, 8]);
    expect(await articles('locale=*&status=draft')).toEqual([1, 3, 5, 7, 8]);
  });

  test('totals and filters count only those rows', async () => {
    const { body } = await ask(content, '/api/articles', 'filters[title][$startsWith]=F&fields=title&sort=id');
    expect(body).toEqual({
      data: [
        { id: 2, documentId: 'first', title: 'First' },
        { id: 10, documentId: 'fifth', title: 'Fifth' },
      ],
      meta: { pagination: { page: 1, pageSize: 25, pageCount: 1, total: 2 } },
    });
    expect(await articles('filters[title]=Third')).toEqual([]);
    expect(await articles('filters[documentId]=first&locale=*')).toEqual([2, 4]);
  });

  test('types without the feature ignore the parameter', async () => {
    expect(await data('/api/restaurants', 'filters[id]=1&locale=fr')).toEqual([lodzCafe]);
    expect(await data('/api/restaurants', 'filters[id]=1&locale=*')).toEqual([lodzCafe]);
    expect(await data('/api/restaurants', 'filters[id]=1&status=draft')).toEqual([lodzCafe]);
  });

  test('status and locale apply to populated relations of the same type', async () => {
    const related = (query: string) => data('/api/articles', `fields=title&populate=related&sort=id&${query}`);
    expect(await related('filters[documentId]=second')).toEqual([
      { id: 6, documentId: 'second', title: 'Second', related: [first] },
    ]);
    expect(await related('filters[documentId]=second&status=draft')).toEqual([
      { id: 5, documentId: 'second', title: 'Second', related: [firstDraft] },
    ]);
    expect(await related('filters[documentId]=fourth&locale=fr')).toEqual([
      { id: 9, documentId: 'fourth', title: 'Quatrième', related: [premier] },
    ]);
    expect(await related('filters[documentId]=third&status=draft')).toEqual([
      { id: 7, documentId: 'third', title: 'Third', related: [secondDraft, firstDraft] },
    ]);
  });

  test('a document without a row of that status is omitted', async () => {
    expect(await data('/api/articles', 'fields=title&populate=related&filters[documentId]=fifth')).toEqual([
      { id: 10, documentId: 'fifth', title: 'Fifth', related: [second] },
    ]);
  });

  test('status applies to populated relations from a type without drafts', async () => {
    const chef = (query: string) => data('/api/chefs', `filters[id]=51&fields=name&populate=articles&${query}`);
    const name = { id: 51, documentId: 'ada', name: 'Ada' };
    expect(await chef('status=published')).toEqual([{ ...name, articles: [first, fifth] }]);
    expect(await chef('status=draft')).toEqual([{ ...name, articles: [firstDraft, thirdDraft] }]);
    expect(await data('/api/homepage', 'populate=featured&status=draft')).toEqual({
      ...home,
      featured: [secondDraft, firstDraft],
    });
  });

  test('status and locale apply to filters through relations', async () => {
    expect(await articles('filters[related][title]=First')).toEqual([6]);
    expect(await articles('filters[related][title][$contains]=edited')).toEqual([]);
    expect(await articles('filters[related][title][$contains]=edited&status=draft')).toEqual([5, 7]);
    expect(await idsOf(content, '/api/chefs', 'filters[articles][title]=Third&status=draft', 'key')).toEqual([51]);
  });

  test('one document is its published row in the default locale, or the requested one', async () => {
    expect((await ask(content, '/api/articles/first')).body).toEqual({ data: first, meta: {} });
    expect((await ask(content, '/api/articles/first', 'locale=fr')).body).toEqual({ data: premier, meta: {} });
    expect(await data('/api/articles/first', 'status=draft')).toEqual(firstDraft);
    expect(await data('/api/articles/first', 'fields=title&populate[author]=true')).toEqual({
      id: 2,
      documentId: 'first',
      title: 'First',
      author: ada,
    });
    expect(await data('/api/restaurants/lodz-cafe')).toEqual(lodzCafe);
  });

  test.each([
    ['no such document', '/api/restaurants/zzz', ''],
    ['an id is no documentId', '/api/restaurants/1', ''],
    ['never published', '/api/articles/third', ''],
    ['not in this locale', '/api/articles/second', 'locale=fr'],
    ['not in the default locale', '/api/articles/fourth', ''],
    ['another locale', '/api/articles/fifth', 'locale=fr'],
    ['all locales are no row, as recorded', '/api/articles/first', 'locale=*'],
    ['a single type in all locales, as recorded', '/api/homepage', 'locale=*'],
    ['the plural of a single type', '/api/homepages', ''],
    ['the singular of a collection', '/api/restaurant', ''],
    ['a component', '/api/shared.address', ''],
    ['one part too many', '/api/restaurants/lodz-cafe/chef', ''],
  ])('a missing document is a 404: %s', async (_title, path, query) => {
    const { status, body } = await ask(content, path, query);
    expect(status).toBe(404);
    expect(body).toEqual(notFound);
  });

  test.each(['/api/articles/first', '/api/homepage', '/api/restaurants/lodz-cafe'])(
    'an unknown locale is a 400 in document, a 404 in strapi, and ignored by other types: %s',
    async (path) => {
      const { status } = await ask(content, path, 'locale=zz');
      const isIgnored = path.startsWith('/api/restaurants');
      expect(status).toBe(dialect === 'document' ? 400 : isIgnored ? 200 : 404);
    },
  );

  test('a single type returns one entry', async () => {
    expect((await ask(content, '/api/homepage')).body).toEqual({ data: home, meta: {} });
    expect((await ask(content, '/api/homepage', 'locale=fr')).body).toEqual({ data: accueil, meta: {} });
    expect((await ask(content, '/api/homepage', 'fields=headline&populate[seo][fields]=metaTitle')).body).toEqual({
      data: { id: 1, documentId: 'home', headline: 'Welcome', seo: { id: 1, metaTitle: 'Home' } },
      meta: {},
    });
    expect(await data('/api/homepage', 'locale=fr&populate=*')).toEqual({
      ...accueil,
      seo: null,
      featured: [premier, quatrieme],
      localizations: [home],
    });
  });
});

describe('drafts of another type, seen from a type without drafts', () => {
  test('are not revealed by filter, sort or count without the permission in document', async () => {
    const content = await openGuide();
    expect(await idsOf(content, '/api/chefs', 'filters[articles][title]=Third')).toEqual([]);
    expect(await idsOf(content, '/api/chefs', 'filters[articles][publishedAt][$null]=true&filters[id]=52')).toEqual([]);
    // By published titles: nobody's first, then Second of bo, then First of ada; her draft Third would stand before.
    expect(await idsOf(content, '/api/chefs', 'sort=articles.title:desc')).toEqual([53, 54, 55, 52, 51]);
    const { body } = await ask(content, '/api/chefs', 'fields=name&filters[id]=51&populate[articles][count]=true');
    expect(body.data).toEqual([{ id: 51, documentId: 'ada', name: 'Ada', articles: { count: 2 } }]);
  });

  test('are reached by filters in strapi, as recorded', async () => {
    const content = await openGuide({ dialect: 'strapi' });
    expect(await idsOf(content, '/api/chefs', 'filters[articles][title]=Third')).toEqual([51]);
  });
});
