import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Content, type JsonSnapshot, open } from '../src/index.ts';
import { encodeQuery, idsOf, sha256 } from './support/guide.ts';

const demo = fileURLToPath(new URL('../data/demo', import.meta.url));

/** So many times hops along one path of the demo cost more than its column. */
const often = 400;

const openDemo = (options: object = {}): Promise<Content> =>
  open(demo, {
    dialect: 'document',
    cacheBytes: 0,
    tokens: [{ name: 'all', sha256: sha256('all'), type: 'full-access' }],
    ...options,
  });

const url = (query: string) => `/api/articles?${encodeQuery(query)}`;

async function answer(of: Content, query: string): Promise<{ status: number; text: string }> {
  const { status, body } = await of.answer(url(query), { authorization: 'Bearer all' });
  return { status, text: body.toString() };
}

/** Queries through relations to one, with what the plan says of the path before and after. */
const queries = [
  { query: 'filters[author][team][league][$eq]=Harbour', hop: 'through author', path: 'author.team.league $eq' },
  { query: 'filters[author][team][league][$ne]=Harbour', hop: 'through author', path: 'author.team.league $ne' },
  { query: 'filters[author][mentor][team][league][$in][0]=Orchard', hop: 'through author', path: 'author.mentor.team' },
  { query: 'filters[author][mentor][stars][$null]=true', hop: 'or nothing linked', path: 'author.mentor.stars $null' },
  {
    query: 'filters[author][mentor][stars][$notNull]=true',
    hop: 'through author',
    path: 'author.mentor.stars $notNull',
  },
  {
    query: 'filters[author][stars][$between][0]=1&filters[author][stars][$between][1]=3',
    hop: 'through',
    path: 'stars',
  },
  { query: 'filters[author][name][$containsi]=an&status=draft', hop: 'through author', path: 'author.name' },
  {
    query: 'filters[$not][author][stars][$gte]=2&filters[premium]=true&sort=rating:desc',
    hop: 'through',
    path: 'stars',
  },
];

describe('a filter through relations to one, asked for often', () => {
  test.each(queries)('$query: answers as at first, from a column', async ({ query, hop, path }) => {
    const content = await openDemo();
    const { plan } = content.explain(url(query));
    expect(plan).toContain(hop);
    const first = await answer(content, query);
    expect(first.status).toBe(200);
    for (let i = 0; i < often; i++) expect(await answer(content, query)).toEqual(first);
    const { plan: later } = content.explain(url(query));
    expect(later).toContain(path);
    expect(later).not.toContain('through');
  });

  test.each([
    ['filters[author][name]=drafted', []],
    ['filters[author][name]=both', [2]],
    ['filters[author][name][$null]=true', [1, 3]],
    ['filters[author][name][$ne]=x', [2]],
  ])('%s: a draft is no more related than at first', async (query, expected) => {
    const authors = { displayName: 'Author', singularName: 'author', pluralName: 'authors' };
    const notes = { displayName: 'Note', singularName: 'note', pluralName: 'notes' };
    const snapshot: JsonSnapshot = {
      contentTypes: [
        { info: authors, options: { draftAndPublish: true }, attributes: { name: { type: 'string' } } },
        {
          info: notes,
          attributes: { author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' } },
        },
      ],
      entries: {
        author: [
          { documentId: 'a', name: 'drafted', status: 'draft' },
          { documentId: 'b', name: 'both', status: 'draft' },
          { documentId: 'b', name: 'both', status: 'published' },
        ],
        note: [{ documentId: 'n1', author: 'a' }, { documentId: 'n2', author: 'b' }, { documentId: 'n3' }],
      },
      roles: [{ type: 'public', permissions: ['api::note.note.find', 'api::author.author.find'] }],
    };
    const guarded = await open(snapshot, { dialect: 'document', cacheBytes: 0 });
    for (let i = 0; i < often; i++) expect(await idsOf(guarded, '/api/notes', query)).toEqual(expected);
    expect(guarded.explain(`/api/notes?${encodeQuery(query)}`).plan).toContain('author.name');
  });

  test('through a relation to many, it stays a hop', async () => {
    const content = await openDemo();
    const query = 'filters[categories][slug][$contains]=a';
    for (let i = 0; i < often; i++) await answer(content, query);
    expect(content.explain(url(query)).plan).toContain('through categories');
  });

  test('is refused as at first: what it is charged does not depend on the requests before', async () => {
    const query = 'filters[author][team][league][$eq]=Harbour&pagination[limit]=1&fields=id';
    const withSteps = (steps: number) => openDemo({ budgets: { steps } });
    let [refused, enough] = [0, 100_000];
    while (enough - refused > 1) {
      const middle = (refused + enough) >> 1;
      if ((await answer(await withSteps(middle), query)).status === 200) enough = middle;
      else refused = middle;
    }
    for (const [steps, status] of [
      [refused, 400],
      [enough, 200],
    ]) {
      const bounded = await withSteps(steps!);
      for (let i = 0; i < often; i++) expect((await answer(bounded, query)).status).toBe(status);
      if (status === 200) expect(bounded.explain(url(query)).plan).toContain('author.team.league $eq');
    }
  });
});
