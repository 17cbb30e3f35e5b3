// An edit leaves most replies as they are, and most of those have no tag that it made stale.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRows } from '../../bench/content/rows.ts';
import { wordOf } from '../../bench/queries/drawing.ts';
import { magazineQueries } from '../../bench/queries/magazine.ts';
import { urlOf } from '../../bench/query.ts';
import { Random } from '../../bench/random.ts';
import { open } from '../../src/index.ts';

const folder = join(import.meta.dirname, '../../data/demo');
const uid = 'api::article.article';

/** A thousand URLs: each query of the benchmark as often as the others, with single entries and lists between them. */
function mixedUrls(): string[] {
  const random = new Random(5);
  const rows = readRows(folder);
  const urls: string[] = [];
  while (urls.length < 1000) {
    for (const { find, draw } of magazineQueries) {
      const found = find(draw(random, rows));
      urls.push(urlOf(found, rows.schema.type(found.type).plural!));
    }
    const [article, author] = ['article', 'author'].map((type) => random.pick(rows.type(type)).documentId);
    urls.push(
      `/api/articles/${article}?populate[author]=true&populate[categories]=true`,
      `/api/authors/${author}?populate[team]=true`,
      '/api/homepage?populate=*',
      '/api/articles?sort=publishedOn:desc&populate=author',
    );
  }
  return urls.slice(0, 1000);
}

/** A thousand pages of a site: most show one entry, some a section, some the results of a search. */
function siteUrls(): string[] {
  const random = new Random(5);
  const rows = readRows(folder);
  const drawn = (type: string, attribute: string) =>
    encodeURIComponent(String(random.pick(rows.type(type))[attribute]));
  const newest = 'sort=publishedOn:desc&populate=author&pagination[page]=';
  const urls: string[] = [];
  while (urls.length < 1000) {
    const page = random.integer(1, 8);
    for (let i = 0; i < 5; i++) {
      urls.push(
        `/api/articles/${drawn('article', 'documentId')}?populate[author][populate]=team&populate[categories]=true`,
        `/api/articles?filters[slug][$eq]=${drawn('article', 'slug')}&populate=author`,
        `/api/articles?filters[kind][$eq]=${drawn('article', 'kind')}&${newest}${page}`,
      );
    }
    urls.push(
      `/api/articles?${newest}${page}`,
      `/api/articles?filters[categories][slug][$eq]=${drawn('category', 'slug')}&${newest}${page}`,
      `/api/authors/${drawn('author', 'documentId')}?populate[articles][fields]=slug`,
      `/api/articles?filters[title][$containsi]=${wordOf(random, rows, 4)}`,
      `/api/articles?sort=title&fields=title&pagination[page]=${page}`,
    );
  }
  return urls.slice(0, 1000);
}

test.each([
  ['lead', 0.01],
  ['title', 0.15],
])('one edited %s makes few of a thousand pages of a site stale that did not change', async (attribute, maximum) => {
  const content = await open(folder, { public: true, cacheTags: true, cacheBytes: 0 });
  const urls = siteUrls();
  const called = new Set<number>();
  const before = await Promise.all(
    urls.map(async (url, i) => {
      const { body, headers } = await content.answer(url);
      content.subscribe(url, () => called.add(i), { role: 'public' });
      return { body: String(body), tags: headers['Cache-Tag'].split(',') };
    }),
  );
  let stale = new Set<string>();
  content.onStale(({ tags }) => {
    stale = new Set(tags);
  });

  const { id, ...article } = content.findOne('articles', 'article-711').data;
  const data = { ...article, [attribute]: 'Another Text Altogether' };
  content.apply({ entities: [{ type: uid, id, data }], links: [] });
  const after = await Promise.all(urls.map(async (url) => String((await content.answer(url)).body)));

  const unchanged = urls.flatMap((_, i) => (after[i] === before[i].body ? [i] : []));
  expect(unchanged.length).toBeGreaterThan(900);
  expect(unchanged.filter((i) => called.has(i)).length).toBeLessThan(unchanged.length * maximum);
  const named = unchanged.filter((i) => before[i].tags.some((tag) => stale.has(tag)));
  expect(named.length).toBeLessThan(unchanged.length * maximum);
  // the edit also deletes the components of the article
  expect(JSON.stringify([...stale]).length).toBeLessThan(3000);
});

test.each(['document', 'strapi'] as const)(
  'a saved draft makes no published reply stale in the dialect %s',
  async (dialect) => {
    const content = await open(folder, { dialect, public: true, cacheTags: true, cacheBytes: 0 });
    const { id: _, publishedAt: __, ...published } = content.findOne('articles', 'article-711').data;
    const save = (title: string) =>
      content.apply({ changes: [{ upsert: uid, entry: { ...published, title, rating: 1, status: 'draft' } }] });
    save('A draft');
    const replies = await Promise.all(mixedUrls().map((url) => content.answer(url)));
    const named = replies.filter(({ headers }) => !headers['Cache-Tag'].includes('~drafts'));
    expect(named.length).toBeGreaterThan(replies.length * 0.8);

    let stale: ReadonlySet<string> = new Set();
    content.onStale(({ tags }) => {
      stale = new Set(tags);
    });
    save('Another draft');
    expect(stale.size).toBeGreaterThan(5);
    const concerned = replies.filter(({ headers }) => headers['Cache-Tag'].split(',').some((tag) => stale.has(tag)));
    expect(concerned.map(({ route }) => route)).toEqual([]);
  },
);
