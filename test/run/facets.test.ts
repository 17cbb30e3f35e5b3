// The count of a value in a facet is the number of entries that the list has with one more filter.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Content, open } from '../../src/index.ts';
import { caseCount } from '../support/cases.ts';
import { openShared } from '../support/open-shared.ts';

interface Facet {
  values: { value: string | number | boolean | null; count: number }[];
  total: number;
}

const dialects = ['document', 'strapi'] as const;
const paths = [
  'kind',
  'premium',
  'rating',
  'publishedOn',
  'id',
  'title',
  'locale',
  'author.name',
  'author.team.name',
  'author.team.founded',
  'categories.slug',
  'categories.parent.slug',
  'related.kind',
  'related.author.stars',
  'views',
  'issue.price',
  'correctedAt',
  'issue.soldOut',
  'issue.printedAt',
  'credits.role',
];
const filters = [
  {},
  { kind: { $ne: 'essay' } },
  { rating: { $gte: 4 } },
  { author: { stars: { $gte: 2 } } },
  { author: { name: { $null: true } } },
  { id: { $lt: 0 } },
];
const versions = [{}, { status: 'draft' }, { locale: 'de' }, { locale: '*', status: 'draft' }];

type Meta = { pagination: { total: number }; facets?: Record<string, Facet> };

function metaOf(content: Content, query: object, route = 'articles'): Meta {
  return content.find(route, { fields: 'id', ...query }).meta as unknown as Meta;
}

/** Nests a condition below the relations of a path. */
function at(path: string, condition: object): object {
  return path.split('.').reduceRight((inner, name) => ({ [name]: inner }), condition);
}

function checkFacet(content: Content, query: { filters?: object }, path: string, route = 'articles'): void {
  const { pagination, facets } = metaOf(content, { ...query, facets: [path] }, route);
  const { values, total } = facets![path];
  const counted = (condition: object) => {
    const filters = { $and: [query.filters ?? {}, at(path, condition)] };
    return metaOf(content, { ...query, filters }, route).pagination.total;
  };
  expect(values.length).toBe(Math.min(total, 1000));
  expect(new Set(values.map(({ value }) => value)).size).toBe(values.length);
  expect(values.map(({ count }) => count)).toEqual(values.map(({ count }) => count).sort((a, b) => b - a));
  for (const { value, count } of [...values.slice(0, 4), ...values.slice(-2)]) {
    expect([path, value, counted(value === null ? { $null: true } : { $eq: value })]).toEqual([path, value, count]);
  }
  // nothing is left out
  const known = values.map(({ value }) => value);
  if (known.length === 0) expect(pagination.total).toBe(0);
  if (known.length > 0 && known.length <= 100) {
    const others = known.filter((value) => value !== null);
    expect(counted(others.length > 0 ? { $notIn: others, $notNull: true } : { $notNull: true })).toBe(0);
    if (!known.includes(null)) expect(counted({ $null: true })).toBe(0);
  }
}

const query = fc.record({
  filters: fc.constantFrom(...filters),
  seen: fc.constantFrom(...versions),
  pagination: fc.constantFrom({}, { page: 2, pageSize: 3 }, { start: 1, limit: 2, withCount: false }),
});

test.each(dialects)('each value counts the entries that a filter finds, in the dialect %s', async (dialect) => {
  const content = await openShared('data/demo', { dialect });
  fc.assert(
    fc.property(query, fc.constantFrom(...paths), ({ seen, ...rest }, path) => {
      checkFacet(content, { ...rest, pagination: undefined, ...seen } as object, path);
    }),
    { numRuns: caseCount(1000, 100) },
  );
});

test.each(dialects)('only related entries that filters reach are counted, in the dialect %s', async (dialect) => {
  const content = await openShared('data/demo', { dialect });
  // these link to drafts and published articles alike
  for (const [route, path] of [
    ['authors', 'articles.title'],
    ['authors', 'articles.issue.title'],
    ['teams', 'members.articles.publishedAt'],
    ['categories', 'articles.publishedAt'],
    ['categories', 'articles.author.name'],
  ]) {
    for (const version of [{}, { status: 'draft' }]) checkFacet(content, version as object, path, route);
  }
});

test.each(dialects)('the page and the total are those without facets, in the dialect %s', async (dialect) => {
  const content = await openShared('data/demo', { dialect });
  const read = (parameters: object) => {
    return content.find('articles', { fields: 'title', ...parameters }) as { data: unknown; meta: Meta };
  };
  fc.assert(
    fc.property(query, fc.subarray(paths, { minLength: 1, maxLength: 3 }), ({ seen, ...rest }, facets) => {
      const plain = read({ ...rest, ...seen });
      const { meta, ...found } = read({ ...rest, ...seen, facets });
      const { facets: counted, ...others } = meta;
      expect({ ...found, meta: others }).toEqual(plain);
      expect(Object.keys(counted!)).toEqual(facets);
    }),
    { numRuns: caseCount(400, 60) },
  );
});

test.each(dialects)('changed rows and links are counted, in the dialect %s', async (dialect) => {
  const content = await open('data/demo', { dialect });
  const { data } = content.find('authors', { pagination: { pageSize: 1 } });
  const [{ documentId, name }] = data as { documentId: string; name: string }[];
  const article = (number: number) => ({
    documentId: `facets-${number}`,
    locale: 'en',
    status: 'published',
    title: `Facets ${number}`,
    slug: `facets-${number}`,
    kind: 'essay',
    rating: 0.5 + number,
    publishedAt: '2026-01-01T00:00:00.000Z',
    author: documentId,
  });
  const before = metaOf(content, { facets: ['author.name'] }).facets!['author.name'];
  content.apply({
    changes: [
      { upsert: 'api::article.article', entry: article(1) },
      { upsert: 'api::article.article', entry: { ...article(2), kind: 'letter', author: null } },
      { delete: 'api::article.article', documentId: 'article-1' },
    ],
  });
  content.apply({ changes: [{ upsert: 'api::author.author', entry: { documentId, name: 'Someone Else' } }] });
  const after = metaOf(content, { facets: ['author.name'] }).facets!['author.name'];
  const countOf = ({ values }: Facet, wanted: string) => values.find(({ value }) => value === wanted)?.count ?? 0;
  expect(countOf(after, 'Someone Else')).toBeGreaterThanOrEqual(countOf(before, name));
  expect(countOf(after, name)).toBe(0);
  for (const path of paths) for (const filter of filters) checkFacet(content, { filters: filter }, path);

  // links to deleted entries remain in the store
  const [{ author }] = content.find('articles', { filters: { author: { id: { $gt: 1 } } }, populate: 'author' })
    .data as unknown as { author: { documentId: string; name: string } }[];
  const [{ documentId: category }] = content.find('categories').data as { documentId: string }[];
  content.apply({
    changes: [
      { delete: 'api::author.author', documentId: author.documentId },
      { delete: 'api::category.category', documentId: category },
    ],
  });
  const rest = metaOf(content, { facets: ['author.name'] }).facets!['author.name'];
  expect(countOf(after, author.name)).toBeGreaterThan(0);
  expect(countOf(rest, author.name)).toBe(0);
  for (const path of paths) for (const filter of filters) checkFacet(content, { filters: filter }, path);
});

test('values that the caller may not filter by are not counted', async () => {
  const content = await openShared('data/demo', {});
  const refused = (facets: unknown, role?: string, route = 'articles') => {
    try {
      content.find(route, { facets } as object, { role });
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(refused('kind')).toBeNull();
  expect(refused('kinds')).toMatch(/^Invalid key kinds/);
  expect(refused('author')).toMatch(/^Invalid key author/);
  expect(refused('fee')).toMatch(/^Invalid key fee/);
  expect(refused('issue.digitalKey')).toMatch(/^Invalid key/);
  expect(refused('author.account.username')).toBeNull();
  expect(refused('author.account.username', 'public')).toMatch(/^Invalid key account/);
  expect(refused('figures')).toBe('facets: "figures": values of json are not counted');
  expect(refused('author.name:desc')).toMatch(/expected the path of an attribute/);
  expect(refused('*')).toMatch(/expected the paths of attributes/);
  expect(refused({ a: { b: 1 } })).toMatch(/facets/);
  expect(refused('title', undefined, 'homepage')).toBe('facets: only lists in pages have facets');
  const without = await openShared('data/demo', { facets: false });
  expect(() => without.find('articles', { facets: ['kind'] } as object)).toThrow(
    'facets: the parameter is switched off by the setting facets',
  );
  const lenient = await openShared('data/demo', { facets: false, dialect: 'strapi' });
  expect(lenient.find('articles', { facets: ['kind'] } as object).meta).not.toHaveProperty('facets');
});

test('counting is charged for each value that there is, also if nothing is found', async () => {
  const content = await openShared('data/demo', {});
  const costOf = (facet: string) => {
    const { stages } = content.explain(`/api/articles?filters[id]=-1&facets=${facet}`);
    return stages.find(({ stage }) => stage === 'facets')!.cost;
  };
  const { pagination } = metaOf(content, { locale: '*', status: 'draft' });
  expect(costOf('documentId')).toBeGreaterThan(costOf('kind') + pagination.total);
});

test.each(dialects)('a kept reply is made again when a counted value changes, in the dialect %s', async (dialect) => {
  const content = await open('data/demo', { dialect, public: true });
  const [author] = content.find('authors', { sort: 'id', pagination: { pageSize: 1 } }).data as never[];
  const { documentId, name, ...rest } = author as { documentId: string; name: string };
  const read = async (path: string) => {
    const { body } = await content.answerPath(path);
    return JSON.parse(body.toString()).meta.facets['author.name'] as Facet;
  };
  const paths = ['articles?fields=id&facets=author.name', 'articles?fields=id&filters[id][$gt]=0&facets=author.name'];
  for (let time = 0; time < 4; time++) {
    const changed = `${name}, changed ${time}`;
    for (const path of paths) {
      // from the third request on, the reply is kept
      for (let i = 0; i < 4; i++)
        expect((await read(path)).values).not.toContainEqual(expect.objectContaining({ value: changed }));
    }
    content.apply({ changes: [{ upsert: 'api::author.author', entry: { ...rest, documentId, name: changed } }] });
    for (const path of paths) {
      expect((await read(path)).values).toContainEqual(expect.objectContaining({ value: changed }));
    }
  }
});
