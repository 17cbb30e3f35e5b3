// A reply that a feature made is made again when a change alters what it depends on.
import { describe, expect, test } from 'vitest';
import { type Content, type JsonSnapshot, open } from '../../src/index.ts';
import { exampleSnapshot } from '../naive/example.ts';
import { type Feature, features } from '../naive/snapshot.ts';

const AUTHOR = 'api::author.author';
const BOOK = 'api::book.book';
const TAG = 'api::tag.tag';

interface Case {
  feature: Feature;
  path: string;
  before: unknown;
  changes: object[];
  after: unknown;
  inStrapi?: { before: unknown; after: unknown };
  /** What is compared of each entry. Default: its id. */
  of?: (entry: any) => unknown;
}

const zone = [{ __component: 'shared.quote', id: 9, text: 'new', by: 'ada' }];
const labels = (book: any) => book.tags.map((tag: any) => tag.label);

const cases: Case[] = [
  {
    feature: 'countSort',
    path: 'authors?sort=books.$count:desc',
    before: [1, 2, 3],
    changes: ['six', 'two'].map((documentId) => ({ upsert: BOOK, entry: { documentId, author: 'cyd' } })),
    after: [3, 1, 2],
  },
  {
    feature: 'countSort',
    path: 'books?sort=author.books.$count:desc,id',
    before: [10, 12, 13],
    changes: [{ upsert: BOOK, entry: { documentId: 'six', author: 'bob' } }],
    after: [12, 13, 10],
  },
  {
    feature: 'countSort',
    path: 'books?sort=tags.$count',
    before: [13, 12, 10],
    changes: [{ delete: TAG, documentId: 'art' }],
    after: [12, 13, 10],
  },
  {
    feature: 'zoneFilters',
    path: 'books?filters[zone][on][shared.quote][text]=new',
    before: [],
    changes: [{ upsert: BOOK, entry: { documentId: 'two', zone } }],
    after: [12],
  },
  {
    feature: 'zoneFilters',
    path: 'books?filters[zone][on][shared.quote][by][name]=Grace',
    before: [],
    changes: [{ upsert: AUTHOR, entry: { documentId: 'bob', name: 'Grace' } }],
    after: [10],
  },
  {
    feature: 'zoneFilters',
    path: 'books?filters[$not][zone][on][shared.quote][text]=so',
    before: [12, 13],
    changes: [{ upsert: BOOK, entry: { documentId: 'one', title: 'One', zone } }],
    after: [10, 12, 13],
    // there, "not" asks for a component that does not meet the conditions
    inStrapi: { before: [], after: [10] },
  },
  {
    feature: 'fallbackLocale',
    path: 'tags?locale=fr&fallbackLocale=en&sort=label',
    before: ['Art', 'Nouvelles'],
    changes: [{ upsert: TAG, entry: { documentId: 'art', locale: 'fr', label: 'Les arts' } }],
    after: ['Les arts', 'Nouvelles'],
    of: (tag) => tag.label,
  },
  {
    feature: 'fallbackLocale',
    path: 'books?locale=fr&fallbackLocale=en&populate=tags&filters[id]=10',
    before: [['Art', 'Nouvelles']],
    changes: [{ delete: TAG, documentId: 'news', locale: 'fr' }],
    after: [['Art', 'News']],
    of: labels,
  },
  {
    feature: 'fallbackLocale',
    path: 'books?locale=fr&fallbackLocale=en&filters[tags][label]=Les arts',
    before: [],
    changes: [{ upsert: TAG, entry: { documentId: 'art', locale: 'fr', label: 'Les arts' } }],
    after: [10, 12],
  },
  {
    feature: 'deepPopulate',
    path: 'authors?populate=deep,2&filters[id]=1',
    before: [['Art', 'News']],
    changes: [{ upsert: TAG, entry: { documentId: 'news', label: 'Old' } }],
    after: [['Art', 'Old']],
    of: (author) => author.books.flatMap(labels),
  },
  {
    feature: 'deepPopulate',
    path: 'authors?populate[0]=*&populate[1]=books.tags&filters[id]=1',
    before: [['Art', 'News']],
    changes: [{ upsert: TAG, entry: { documentId: 'news', label: 'Old' } }],
    after: [['Art', 'Old']],
    of: (author) => author.books.flatMap(labels),
  },
  {
    feature: 'languageAware',
    path: 'authors?sort=name&language=de&filters[name][$notNull]=true',
    before: ['Ada', 'İris'],
    changes: [{ upsert: AUTHOR, entry: { documentId: 'cyd', name: 'Äba' } }],
    after: ['Äba', 'Ada', 'İris'],
    of: (author) => author.name,
  },
  {
    feature: 'languageAware',
    path: 'authors?filters[name][$containsi]=ADE&language=de',
    before: [],
    changes: [{ upsert: AUTHOR, entry: { documentId: 'cyd', name: 'Ädel' } }],
    after: [3],
  },
  {
    feature: 'languageAware',
    path: 'authors?_q=ade&language=de',
    before: [],
    changes: [{ upsert: AUTHOR, entry: { documentId: 'cyd', name: 'Ädel' } }],
    after: [3],
  },
  {
    feature: 'populateWindow',
    path: 'books?populate[tags][sort]=rank:desc&populate[tags][limit]=1&filters[id]=10',
    before: [['Art']],
    changes: [{ upsert: TAG, entry: { documentId: 'news', label: 'News', rank: 7 } }],
    after: [['News']],
    of: labels,
  },
];

async function read(content: Content, path: string, of = (entry: any): unknown => entry.id): Promise<unknown> {
  const { status, body } = await content.answerPath(encodeURI(path));
  expect([path, status, JSON.parse(String(body)).error?.message]).toEqual([path, 200, undefined]);
  const { data } = JSON.parse(String(body));
  return data.map((entry: any) =>
    of('books' in entry && entry.books.data ? { ...entry, books: entry.books.data } : entry),
  );
}

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  const begin = () => {
    return open(structuredClone(exampleSnapshot) as unknown as JsonSnapshot, {
      dialect,
      public: true,
      features: [...features],
    });
  };

  test.each(cases)('$feature: $path', async ({ path, changes, of, inStrapi, ...inDocument }) => {
    const { before, after } = (dialect === 'strapi' && inStrapi) || inDocument;
    const content = await begin();
    // from the third request on, the reply is kept
    for (let i = 0; i < 4; i++) expect(await read(content, path, of)).toEqual(before);
    content.apply({ changes } as never);
    for (let i = 0; i < 2; i++) expect(await read(content, path, of)).toEqual(after);
  });

  test('an entry that is added finds a place in a random order and moves no other', async () => {
    const content = await begin();
    const path = 'authors?sort=$random:x&fields=id';
    let order = (await read(content, path)) as number[];
    const documents = Array.from({ length: 30 }, (_, i) => `author-${i}`);
    for (const documentId of documents) {
      content.apply({ changes: [{ upsert: AUTHOR, entry: { documentId, name: documentId } }] } as never);
      const now = (await read(content, `${path}&pagination[pageSize]=100`)) as number[];
      expect(now.length).toBe(order.length + 1);
      expect(now.filter((id) => order.includes(id))).toEqual(order);
      order = now;
    }
    expect(order).not.toEqual([...order].sort((a, b) => a - b));
  });
});
