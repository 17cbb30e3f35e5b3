// Content that is opened with the setting `drafts`, through the library.
import { describe, expect, test } from 'vitest';
import { type Content, type JsonSnapshot, type OpenOptions, open } from '../../src/index.ts';

const withDrafts = { options: { draftAndPublish: true } };
const localized = { pluginOptions: { i18n: { localized: true } } };

const type = (singularName: string, pluralName: string, attributes: object, more: object = {}) => ({
  info: { singularName, pluralName, displayName: singularName },
  attributes,
  ...more,
});

const relation = (kind: string, target: string, inverse: object) => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...inverse,
});

/** Ada has a draft. Only her published entry is linked to by `one`, which has no draft, and by the link of `paris`. */
const snapshot = {
  settings: { defaultLocale: 'en', locales: [{ code: 'en' }, { code: 'fr' }] },
  contentTypes: [
    type(
      'author',
      'authors',
      {
        name: { type: 'string' },
        articles: relation('oneToMany', 'article', { mappedBy: 'author' }),
      },
      withDrafts,
    ),
    type(
      'article',
      'articles',
      {
        title: { type: 'string' },
        author: relation('manyToOne', 'author', { inversedBy: 'articles' }),
      },
      withDrafts,
    ),
    type('city', 'cities', { name: { type: 'string' }, people: relation('manyToMany', 'author', {}) }),
    type('page', 'pages', { title: { type: 'string' } }, { ...withDrafts, ...localized }),
  ],
  entries: {
    author: [
      { documentId: 'ada', name: 'Ada' },
      { documentId: 'ada', name: 'Ada Lovelace', status: 'draft' },
      { documentId: 'ben', name: 'Ben' },
      { documentId: 'eve', name: 'Eve', status: 'draft' },
    ],
    article: [
      { documentId: 'one', title: 'One', author: 'ada' },
      { documentId: 'two', title: 'Two', author: 'ada' },
      { documentId: 'two', title: 'Two, revised', author: 'ada', status: 'draft' },
    ],
    city: [{ documentId: 'paris', name: 'Paris', people: ['ada', 'ben'] }],
    page: [
      { documentId: 'home', title: 'Home', locale: 'en' },
      { documentId: 'home', title: 'Home, revised', locale: 'en', status: 'draft' },
      { documentId: 'home', title: 'Accueil', locale: 'fr' },
    ],
  },
} as unknown as JsonSnapshot;

const openDrafts = (options: OpenOptions = {}): Promise<Content> =>
  open(structuredClone(snapshot), { public: true, drafts: true, ...options });

async function ask(content: Content, url: string) {
  const { status, body } = await content.answer(url);
  return { status, ...JSON.parse(String(body)) };
}

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  test('a document is shown in the state of its draft, and otherwise as it is published', async () => {
    const content = await openDrafts({ dialect });
    const { data, meta } = content.find('authors', { sort: 'name' });
    expect(data.map(({ name }: { name: string }) => name)).toEqual(['Ada Lovelace', 'Ben', 'Eve']);
    expect(meta.pagination.total).toBe(3);
    expect(content.findOne('authors', 'ada').data).toMatchObject({ name: 'Ada Lovelace', publishedAt: null });
    expect(content.find('authors', { filters: { name: 'Ada' } }).data).toEqual([]);
    expect(content.find('authors', { _q: 'lovelace' }).data).toHaveLength(1);
  });

  test('links lead to the draft in both directions, once', async () => {
    const content = await openDrafts({ dialect });
    const article = content.findOne('articles', 'one', { populate: 'author' }).data;
    expect(article.author.name).toBe('Ada Lovelace');
    const { articles } = content.findOne('authors', 'ada', { populate: { articles: { sort: 'title' } } }).data;
    expect(articles.map(({ title }: { title: string }) => title)).toEqual(['One', 'Two, revised']);
    const { people } = content.findOne('cities', 'paris', { populate: 'people' }).data;
    expect(people.map(({ name }: { name: string }) => name)).toEqual(['Ada Lovelace', 'Ben']);
    const counted = content.findOne('authors', 'ada', { populate: { articles: { count: true } } }).data;
    expect(counted.articles).toEqual({ count: 2 });
    const filtered = content.find('articles', { filters: { author: { name: { $contains: 'Love' } } } });
    expect(filtered.meta.pagination.total).toBe(2);
    const sorted = content.find('cities', { filters: { people: { name: 'Ada' } } });
    expect(sorted.data).toEqual([]);
  });

  test('the localizations of a draft are entries of any status', async () => {
    const content = await openDrafts({ dialect });
    const { data } = content.findOne('pages', 'home', { populate: 'localizations' });
    expect(data).toMatchObject({ title: 'Home, revised', localizations: [{ title: 'Accueil', locale: 'fr' }] });
    const french = content.findOne('pages', 'home', { locale: 'fr', populate: 'localizations' }).data;
    expect(french).toMatchObject({ title: 'Accueil', localizations: [{ title: 'Home, revised', locale: 'en' }] });
  });

  test('a status and a publication filter have no effect', async () => {
    const content = await openDrafts({ dialect });
    const expected = await ask(content, '/api/authors?sort=name');
    for (const query of [
      'status=draft',
      'status=published',
      'publicationFilter=modified',
      'hasPublishedVersion=true',
    ]) {
      expect(await ask(content, `/api/authors?sort=name&${query}`)).toEqual(expected);
    }
  });

  test('a change of a draft is shown, and a change of a published entry behind it is not', async () => {
    const content = await openDrafts({ dialect, cacheTags: true });
    const url = '/api/articles/one?populate=author';
    let called = 0;
    content.subscribe(url, () => called++, { role: 'public' });
    const before = await ask(content, url);
    const save = (name: string, status: string) =>
      content.apply({ changes: [{ upsert: 'api::author.author', entry: { documentId: 'ada', name, status } }] });
    save('Augusta Ada', 'published');
    expect(await ask(content, url)).toEqual(before);
    expect(called).toBe(0);
    save('Ada King', 'draft');
    expect((await ask(content, url)).data.author.name).toBe('Ada King');
    expect(called).toBe(1);
    content.apply({ changes: [{ delete: 'api::author.author', documentId: 'ada', status: 'draft' }] });
    expect((await ask(content, url)).data.author.name).toBe('Augusta Ada');
    expect(called).toBe(2);
  });

  test('a draft that is added refers to documents that have no draft', async () => {
    const content = await openDrafts({ dialect });
    content.apply({
      changes: [
        { upsert: 'api::article.article', entry: { documentId: 'one', title: 'New', author: 'ben', status: 'draft' } },
      ],
    });
    expect(content.findOne('articles', 'one', { populate: 'author' }).data).toMatchObject({
      title: 'New',
      author: { name: 'Ben' },
    });
    expect(content.findOne('authors', 'ben', { populate: 'articles' }).data.articles).toMatchObject([{ title: 'New' }]);
  });
});

test('callers without the permission for drafts read them', async () => {
  const roles = [{ type: 'public', name: 'Public', permissions: ['api::author.author.find'] }];
  const content = await openDrafts({ public: false, roles });
  const [plain, draft] = await Promise.all(['', '?status=draft'].map((query) => ask(content, `/api/authors${query}`)));
  expect(plain.status).toBe(200);
  expect(plain.data).toHaveLength(3);
  expect(draft).toEqual(plain);
});

test('a wrong status is rejected as in all content', async () => {
  const content = await openDrafts({ dialect: 'document' });
  expect((await ask(content, '/api/authors?status=nosuch')).status).toBe(400);
});
