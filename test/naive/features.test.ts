import { describe, expect, test } from 'vitest';
import { ask, askWithFeatures } from './example.ts';
import { finished, hashOf, orderOf } from './random-order.ts';
import type { Dialect, Request } from './snapshot.ts';
import { withoutAccents } from './values.ts';

type Query = Record<string, unknown>;

/** The status of a refusal, or what is served: of each entry its id and the attributes that are populated. */
function served(name: string, query: Query, dialect: Dialect = 'document', more: Partial<Request> = {}): unknown {
  const reply = askWithFeatures({ name, query, ...more }, dialect);
  return reply.status === 200 ? short(reply.body.data) : reply.status;
}

function short(value: any): unknown {
  if (Array.isArray(value)) return value.map(short);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.entries(value).filter(([, part]) => typeof part === 'object' && part !== null);
  if (inner.length === 0) return value.id ?? value;
  return { id: value.id, ...Object.fromEntries(inner.map(([key, part]) => [key, short(part)])) };
}

type Example = [string, Query, unknown, Dialect?];

const windows: Example[] = [
  ['books', { filters: { id: 10 }, populate: { tags: { start: 1 } } }, [{ id: 10, tags: [1] }]],
  ['books', { filters: { id: 10 }, populate: { tags: { limit: 1 } } }, [{ id: 10, tags: [3] }]],
  ['books', { filters: { id: 10 }, populate: { tags: { limit: 1, sort: 'rank' } } }, [{ id: 10, tags: [1] }]],
  ['books', { filters: { id: 10 }, populate: { tags: { limit: -1 } } }, [{ id: 10, tags: [3, 1] }]],
  ['books', { filters: { id: 10 }, populate: { tags: { page: 2, pageSize: 1 } } }, [{ id: 10, tags: [1] }]],
  ['books', { populate: { tags: { limit: -2 } } }, 400],
  ['books', { populate: { tags: { page: 1, limit: 1 } } }, 400],
];

const fallbacks: Example[] = [
  ['tags', { locale: 'fr', fallbackLocale: 'en' }, [2, 3]],
  ['tags', { fallbackLocale: 'fr' }, [1, 3]],
  ['tags', { locale: 'fr', fallbackLocale: ['fr', 'en'], sort: 'rank' }, [3, 2]],
  ['tags', { locale: 'fr', fallbackLocale: 'en', filters: { rank: 1 } }, []],
  ['tags', { locale: 'fr', fallbackLocale: 'de' }, 400],
  ['tags', { locale: '*', fallbackLocale: 'en' }, 400],
  ['tags', { locale: 'de', fallbackLocale: 'fr' }, [2], 'strapi'],
  [
    'books',
    { locale: 'fr', fallbackLocale: 'en', populate: 'tags' },
    [
      { id: 10, tags: [3, 2] },
      { id: 12, tags: [3] },
      { id: 13, tags: [] },
    ],
  ],
  ['books', { locale: 'fr', fallbackLocale: 'en', filters: { tags: { label: 'Nouvelles' } } }, [10]],
  ['books', { locale: 'fr', fallbackLocale: 'en', filters: { tags: { label: 'News' } } }, []],
];

const deeps: Example[] = [
  [
    'authors',
    { filters: { id: 1 }, populate: 'deep,2', fields: 'id' },
    [
      {
        id: 1,
        books: [{ id: 10, tags: [3, 1], seo: 1, cover: 1, zone: [1, 2] }],
      },
    ],
  ],
  ['tags', { filters: { id: 1 }, populate: 'deep,1' }, [{ id: 1, books: [10] }]],
  ['tags', { populate: 'deep,0' }, 400],
  ['tags', { populate: 'deep,11' }, 400],
  [
    'books',
    { filters: { id: 12 }, populate: { '*': true, author: { populate: 'mentor' } }, fields: 'id' },
    [{ id: 12, author: { id: 2, mentor: 1 }, tags: [3], zone: [] }],
  ],
  [
    'books',
    { filters: { id: 12 }, populate: ['*', 'author.mentor'], fields: 'id' },
    [{ id: 12, author: { id: 2, mentor: 1 }, tags: [3], zone: [] }],
  ],
];

const counts: Example[] = [
  ['books', { sort: 'tags.$count:desc' }, [10, 12, 13]],
  ['books', { sort: { tags: { $count: 'asc' } } }, [13, 12, 10]],
  ['authors', { sort: 'books.$count' }, [3, 1, 2]],
  ['authors', { sort: 'books.$count:desc' }, [1, 2, 3], 'strapi'],
  ['authors', { sort: ['mentor.books.$count:desc', 'id:desc'] }, [3, 2, 1]],
  ['authors', { sort: 'books.$count', status: 'draft' }, [1, 3, 2]],
  ['authors', { sort: 'books.author.$count' }, 400],
  ['books', { sort: 'author.$count' }, 400],
];

const zones: Example[] = [
  ['books', { filters: { zone: { on: { 'shared.quote': { text: { $contains: 's' } } } } } }, [10]],
  ['books', { filters: { zone: { on: { 'shared.quote': { text: 'so', by: { name: 'Ada' } } } } } }, []],
  ['books', { filters: { zone: { on: { 'shared.quote': { by: { mentor: { name: 'Ada' } } } } } } }, [10]],
  ['books', { filters: { zone: { on: { 'shared.quote': { text: 'so' }, 'shared.seo': { word: 'zone' } } } } }, [10]],
  ['books', { filters: { zone: { on: { 'shared.quote': { text: 'so' }, 'shared.seo': { word: 'no' } } } } }, []],
  ['books', { filters: { $not: { zone: { on: { 'shared.quote': { text: 'so' } } } } } }, [12, 13]],
  ['books', { filters: { zone: { on: { 'shared.nope': { text: 'so' } } } } }, 400],
  ['books', { filters: { zone: { 'shared.quote': { text: 'so' } } } }, 400],
];

const languages: Example[] = [
  ['authors', { sort: 'name', language: 'en' }, [1, 2, 3]],
  ['authors', { filters: { name: { $startsWithi: 'IR' } }, language: 'tr' }, [2]],
  ['authors', { filters: { name: { $containsi: 'ri\u0301' } }, language: 'tr' }, [2]],
  ['authors', { filters: { name: { $contains: 'I' } }, language: 'tr' }, []],
  ['authors', { language: 'a b' }, 400],
];

const randoms: Example[] = [
  ['authors', { sort: '$random:a,name' }, 400],
  ['authors', { sort: '$random' }, 400],
  ['authors', { sort: '$random:a b' }, 400],
  ['authors', { sort: { $random: 'asc' } }, 400],
];

describe('with features', () => {
  test.each([windows, fallbacks, deeps, counts, zones, languages, randoms].flat())(
    '%s by %j',
    (name, query, expected, dialect) => {
      expect(served(name, query, dialect)).toEqual(expected);
    },
  );

  test('a random order is that of the finished hashes, in pages that share no entry', () => {
    expect(hashOf('foobar')).toBe(0xbf9cf968n);
    expect(finished(1n)).toBe(0x514e28b7n);
    const orders = ['ada', 'bob', 'cyd'].map((documentId, i) => [orderOf('s', documentId), i + 1] as const);
    const expected = orders.sort(([a], [b]) => a - b).map(([, id]) => id);
    expect(served('authors', { sort: '$random:s' })).toEqual(expected);
    const pages = [1, 2, 3].map((page) => {
      return served('authors', { sort: '$random:s', pagination: { page, pageSize: 1 } }) as number[];
    });
    expect(pages.flat()).toEqual(expected);
  });

  test('a caller learns nothing of types that he may not read', () => {
    const role = { role: 'public' };
    expect(served('books', { sort: 'tags.$count' }, 'document', role)).toBe(400);
    const filters = { zone: { on: { 'shared.quote': { by: { name: 'İris' } } } } };
    expect(served('books', { filters }, 'document', role)).toBe(400);
    expect(served('books', { populate: 'deep', filters: { id: 10 } }, 'document', role)).toEqual([
      { id: 10, seo: { id: 1, image: 1 }, cover: 1, zone: [1, 2] },
    ]);
  });

  test('accents are what NFD takes apart', () =>
    expect(withoutAccents('Ähre, ñ, e\u0301, ß, ø')).toBe('Ahre, n, e, ß, ø'));
});

test.each([...windows, ...fallbacks, ...deeps, ...counts, ...zones, ...languages, ...randoms])(
  'without features, %s by %j is refused',
  (name, query) => {
    expect(ask({ name, query }).status).toBe(400);
  },
);
