import { describe, expect, test } from 'vitest';
import { ask } from './example.ts';
import type { Dialect, Request } from './snapshot.ts';

function ids(name: string, query: Record<string, unknown>): number[] {
  return ask({ name, query }).body.data.map((entry: { id: number }) => entry.id);
}

function first(query: Record<string, unknown>, request: Partial<Request> = {}, dialect: Dialect = 'document') {
  const reply = ask({ name: 'books', query: { fields: 'id', ...query }, ...request }, dialect);
  if (reply.status !== 200) return reply.status;
  const { id: _, documentId: __, ...rest } = [reply.body.data].flat()[0];
  return rest;
}

const ada = { id: 1, documentId: 'ada', name: 'Ada' };
const times = { createdAt: null, updatedAt: null, publishedAt: null };
const adaTimes = { ...times, createdAt: '2020-01-01T00:00:00.000Z', publishedAt: '2020-01-01T00:00:00.000Z' };
const populates: [unknown, unknown, Partial<Request>?, Dialect?][] = [
  ['author', { author: { ...ada, ...adaTimes } }],
  [{ author: { fields: ['name'] } }, { author: ada }],
  [{ author: { fields: 'name', filters: { name: 'Bob' } } }, { author: null }],
  [
    { tags: { fields: 'rank' } },
    {
      tags: [
        { id: 3, documentId: 'art', rank: 3 },
        { id: 1, documentId: 'news', rank: 1 },
      ],
    },
  ],
  [
    { tags: { fields: 'rank', sort: 'rank' } },
    {
      tags: [
        { id: 1, documentId: 'news', rank: 1 },
        { id: 3, documentId: 'art', rank: 3 },
      ],
    },
  ],
  [{ tags: { fields: 'rank', filters: { rank: 3 } } }, { tags: { data: [{ id: 3, documentId: 'art', rank: 3 }] } }],
  [{ tags: { fields: 'rank', filters: { rank: 3 } } }, { tags: [{ id: 3, documentId: 'art', rank: 3 }] }, {}, 'strapi'],
  [{ tags: { count: true } }, { tags: { count: 2 } }],
  [
    { author: { fields: 'name', populate: { books: { fields: 'pages' } } } },
    { author: { ...ada, books: [{ id: 10, documentId: 'one', pages: 100 }] } },
  ],
  ['seo', { seo: { id: 1, word: 'a%b' } }],
  [
    'zone',
    {
      zone: [
        { __component: 'shared.quote', id: 1, text: 'so' },
        { __component: 'shared.seo', id: 2, word: 'zone' },
      ],
    },
  ],
  [
    { zone: { on: { 'shared.quote': { fields: 'text', populate: { by: { fields: 'name' } } } } } },
    { zone: [{ __component: 'shared.quote', id: 1, text: 'so', by: { id: 2, documentId: 'bob', name: 'İris' } }] },
  ],
  ['about', { about: { __type: 'api::author.author', id: 2, documentId: 'bob', name: 'İris', ...times } }],
  ['about', { about: null }, {}, 'strapi'],
  ['author', {}, { role: 'public' }],
  [{ author: true, seo: 'false' }, { author: { ...ada, ...adaTimes } }],
  [{ author: '*' }, 400, {}, 'strapi'],
  [{ tags: { limit: 1 } }, 400],
  ['title', 400],
  ['note', 400],
];

describe('populate', () => {
  test.each(populates)('%j', (populate, expected, request = {}, dialect = 'document') => {
    expect(first({ populate }, request, dialect)).toEqual(expected);
  });

  test('follows * one level, localizations included', () => {
    const served = ask({ name: 'tags', query: { populate: '*', fields: 'rank' } }).body.data[0];
    expect(Object.keys(served).sort()).toEqual(['books', 'documentId', 'id', 'localizations', 'rank']);
    expect(served.localizations).toEqual([
      { id: 2, documentId: 'news', label: 'Nouvelles', rank: 9, ...times, locale: 'fr' },
    ]);
  });
});

describe('access, status and locale', () => {
  test('rejects a collection without find', () =>
    expect(ask({ name: 'tags', role: 'public', query: {} }).status).toBe(403));
  test('rejects an unknown collection', () => expect(ask({ name: 'nope', query: {} }).status).toBe(404));
  test('rejects a filter through an unreadable type', () => {
    expect(ask({ name: 'books', role: 'public', query: { filters: { author: { name: 'Ada' } } } }).status).toBe(400);
  });
  test('rejects drafts without the permission', () => {
    expect(ask({ name: 'books', role: 'public', query: { status: 'draft' } }).status).toBe(403);
    expect(ask({ name: 'books', role: 'public', query: { status: 'draft' } }, 'strapi').status).toBe(200);
  });
  test('rejects an unknown parameter in the document dialect only', () => {
    expect(ask({ name: 'books', query: { foo: 1 } }).status).toBe(400);
    expect(ask({ name: 'books', query: { foo: 1 } }, 'strapi').status).toBe(200);
  });
  test('shows drafts and applies the status to relations', () => {
    expect(
      first({ status: 'draft', populate: { author: { fields: 'name', populate: { books: { fields: 'pages' } } } } }),
    ).toEqual({
      author: { id: 2, documentId: 'bob', name: 'İris', books: [{ id: 11, documentId: 'one', pages: 120 }] },
    });
  });
  test('reads one locale, every locale, or none', () => {
    expect(ids('tags', {})).toEqual([1, 3]);
    expect(ids('tags', { locale: 'fr' })).toEqual([2]);
    expect(ids('tags', { locale: '*' })).toEqual([1, 2, 3]);
    expect(ask({ name: 'tags', query: { locale: 'de' } }).status).toBe(400);
    expect(ids('books', { locale: 'fr' })).toEqual([10, 12, 13]);
  });
  test('reads one document and a single type', () => {
    expect(ask({ name: 'authors', documentId: 'ada', role: 'reader', query: { fields: 'name' } }).body.data).toEqual(
      ada,
    );
    expect(ask({ name: 'authors', documentId: 'zed', query: {} }).status).toBe(404);
    expect(ask({ name: 'home', query: { fields: 'headline' } }).body).toEqual({
      data: { id: 1, documentId: 'home', headline: 'Hello' },
      meta: {},
    });
  });
});
