import { beforeAll, describe, expect, test } from 'vitest';
import { type Content, open } from '../../src/index.ts';
import { ask, openGuide } from '../support/guide.ts';

/** Processor time that only work without a limit exceeds. It does not measure speed. */
const maxMicroseconds = 2_000_000;

/** Requests that once caused a 500, a leak or a very long computation. */
describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  let content: Content;
  beforeAll(async () => {
    content = await openGuide({ dialect });
  });

  test.each([
    'populate[chef][0][x]=1',
    'populate[cover][populate][related][on][api::article.article][0][x]=1',
    `populate=${'chef.restaurants.'.repeat(500)}chef`,
    `sort=${'chef.restaurants.'.repeat(500)}name`,
    `filters[seats]=${'1'.repeat(15_000)}x`,
    'populate[chef][fields][0][x]=1',
    'pagination[page][a]=1',
  ])('a mistake is a 400 without delay: %.60s', async (query) => {
    const before = process.cpuUsage();
    const { status } = await ask(content, '/api/restaurants', query);
    expect(status).toBe(400);
    expect(process.cpuUsage(before).user).toBeLessThan(maxMicroseconds);
  });

  test.each(['/api/users?limit[a]=1', '/api/restaurants/lodz?page[a]=1', '/api/users/1?pageSize[a]=b'])(
    'an invalid option is never a 500: %s',
    async (url) => {
      const [path, query] = url.split('?');
      expect((await ask(content, path, query)).status).toBeLessThan(500);
    },
  );

  test('a populated file does not show the components that refer to it', async () => {
    const query = 'populate[cover][populate][related][on][shared.seo]=true&filters[cover][id][$notNull]=true';
    const { body } = await ask(content, '/api/restaurants', query.split('&')[0]);
    expect(JSON.stringify(body)).not.toContain('shared.seo');
  });
});

test('a path through a zone whose components all lead back to it is followed once', async () => {
  const page = { type: 'relation', relation: 'oneToOne', target: 'api::page.page' };
  const components = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`part.p${i}`, { attributes: { page } }]));
  const attributes = { parts: { type: 'dynamiczone', components: Object.keys(components) } };
  const content = await open({
    contentTypes: [{ info: { singularName: 'page', pluralName: 'pages' }, attributes }],
    components,
    entries: { page: [{ documentId: 'a' }] },
    roles: [{ type: 'public', permissions: ['api::page.page.find'] }],
  } as never);
  const { status, body } = await ask(content, '/api/pages', `populate=${'parts.page.'.repeat(9)}wrong`);
  expect(status).toBe(400);
  expect(body.error!.message).toMatch(/^Invalid key page at parts.page: ./);
});

test('a search of underscores is charged for every character that they match', async () => {
  const pages = Array.from({ length: 20 }, (_, i) => ({ documentId: `p${i}`, text: `${i} brown foxes `.repeat(600) }));
  const content = await open(
    {
      contentTypes: [{ info: { singularName: 'page', pluralName: 'pages' }, attributes: { text: { type: 'text' } } }],
      entries: { page: pages },
      roles: [{ type: 'public', permissions: ['api::page.page.find'] }],
    } as never,
    { dialect: 'strapi' },
  );
  const { status, body } = await ask(content, '/api/pages', `_q=${'_'.repeat(8100)}`);
  expect(status).toBe(400);
  expect(body.error!.details).toMatchObject({ setting: 'budgets.steps' });
  expect((await ask(content, '/api/pages', '_q=br_wn______')).body.meta).toMatchObject({ pagination: { total: 20 } });
});

test('a path through a high-degree node is charged for every link it follows', async () => {
  const authors = [{ documentId: 'hub' }, { documentId: 'other' }];
  const articles = Array.from({ length: 1500 }, (_, i) => ({
    documentId: `a${i}`,
    title: `title ${i % 7}`,
    author: i % 50 === 0 ? 'other' : 'hub',
  }));
  const content = await open({
    contentTypes: [
      {
        info: { singularName: 'article', pluralName: 'articles' },
        attributes: {
          title: { type: 'string' },
          author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'articles' },
        },
      },
      {
        info: { singularName: 'author', pluralName: 'authors' },
        attributes: {
          articles: { type: 'relation', relation: 'oneToMany', target: 'api::article.article', mappedBy: 'author' },
        },
      },
    ],
    entries: { author: authors, article: articles },
  });
  const before = process.cpuUsage();
  const there = { author: { articles: { author: { articles: { author: { articles: { title: 'title 9' } } } } } } };
  expect(content.find('articles', { filters: { documentId: 'a1', ...there } }).meta.pagination.total).toBe(0);
  const sort = 'author.articles.author.articles.author.articles.title';
  expect(content.find('articles', { sort, pagination: { limit: 1 } }).data[0].documentId).toBe('a0');
  expect(process.cpuUsage(before).user).toBeLessThan(maxMicroseconds);
});

test('an empty list matches nothing', async () => {
  const content = await openGuide();
  expect(content.find('restaurants', { filters: { id: [] } }).meta.pagination.total).toBe(0);
  expect(() => content.findOne('restaurants', '')).toThrow('No content type');
  expect(() => content.findOne('users', '999')).toThrow(expect.objectContaining({ status: 404 }));
});
