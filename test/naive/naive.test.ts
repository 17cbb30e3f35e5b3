import { describe, expect, test } from 'vitest';
import { ask } from './example.ts';
import type { Dialect } from './snapshot.ts';
import { fold } from './values.ts';

function ids(name: string, query: Record<string, unknown>, dialect: Dialect = 'document'): unknown {
  const reply = ask({ name, query }, dialect);
  return reply.status === 200 ? reply.body.data.map((entry: { id: number }) => entry.id) : reply.status;
}

const filters: [unknown, unknown, Dialect?][] = [
  [{ pages: 100 }, [10]],
  [{ pages: [50, 100] }, [10, 12]],
  [{ pages: { $ne: 100 } }, [12]],
  [{ pages: { $not: { $lt: 100 } } }, [10]],
  [{ pages: null }, [13]],
  [{ pages: { $null: 'false' } }, [10, 12]],
  [{ pages: { $notNull: '' } }, [13], 'strapi'],
  [{ pages: { $notNull: 'False' } }, [13]],
  [{ pages: { $between: [50, 99] } }, [12]],
  [{ pages: { $between: [50] } }, 400],
  [{ pages: { $gt: 'many' } }, 400],
  [{ sold: { $gt: '9007199254740992' } }, [10]],
  [{ printed: { $lt: '1970-01-01' } }, [10]],
  [{ printed: { $lt: 'soon' } }, 400],
  [{ opens: { $lte: '12:30:00.000' } }, [10, 13]],
  [{ title: { $contains: ['n', '\u{1F355}'] } }, [10, 12]],
  [{ title: { $notContainsi: 'N' } }, [12, 13]],
  [{ title: { $gt: '\uFF21' } }, [12]],
  [{ title: { $foo: 'x' } }, 400],
  [{ note: 'hidden' }, 400],
  [{ pin: '1234' }, 400],
  [{ zone: { word: 'zone' } }, 400],
  [{ about: { name: 'x' } }, 400],
  [{ cover: { name: 'pic.png' } }, 400],
  [{ cover: { name: 'pic.png' } }, [10], 'strapi'],
  [{ seo: { word: { $contains: '%' } } }, [10]],
  [{ author: 2 }, [12]],
  [{ author: { $null: true } }, [13]],
  [{ author: { name: { $eqi: 'iris' } } }, [12]],
  [{ author: { mentor: { name: 'Ada' } } }, [12]],
  [{ author: { name: { $null: true } } }, [13]],
  [{ $not: { author: { name: 'Ada' } } }, [12]],
  [{ tags: { rank: 1, label: 'Art' } }, []],
  [{ $and: [{ tags: { rank: 1 } }, { tags: { label: 'Art' } }] }, [10]],
  [{ $not: { tags: { rank: 3 } } }, [13]],
  [{ $not: { tags: { rank: 3 } } }, [10], 'strapi'],
  [{ $not: { $not: { tags: { rank: 3 } } } }, [10, 12]],
  [{ tags: { $not: { rank: 3 } } }, [10]],
  [{ $not: { tags: { $not: { rank: 3 } } } }, [12, 13]],
  [{ $not: { tags: { $null: true } } }, [10, 12]],
  [{ $not: { pages: 100, tags: { rank: 3 } } }, [12, 13]],
  [{ $or: [{ pages: 50 }, { title: 'One' }] }, [10, 12]],
  [{ $not: { $or: [{ pages: 50 }, { title: 'One' }] } }, []],
  [{ $not: [{ pages: 50 }, { title: 'One' }] }, [10, 12, 13]],
  [{ $foo: [] }, 400],
];

describe('filters', () => {
  test.each(filters)('%j matches %j', (given, expected, dialect = 'document') => {
    expect(ids('books', { filters: given }, dialect)).toEqual(expected);
  });

  test('sees linked rows of all statuses in the strapi dialect, of the requested one in the other', () => {
    const throughDraft = { filters: { books: { title: 'One, again' } } };
    expect(ids('authors', throughDraft, 'strapi')).toEqual([2]);
    expect(ids('authors', throughDraft)).toEqual([]);
    expect(ids('authors', { ...throughDraft, status: 'draft' })).toEqual([2]);
  });

  test('folds each code point alone', () => {
    expect(fold('İß\u{10400}Σ')).toBe('iß\u{10428}σ');
  });
});

const sorts: [string, unknown, unknown][] = [
  ['books', 'pages', [12, 10, 13]],
  ['books', 'pages:desc', [13, 10, 12]],
  ['books', 'title', [10, 13, 12]],
  ['books', [{ author: 'asc' }], 'unspecified'],
  ['books', { author: { name: 'DESC' } }, [13, 12, 10]],
  ['books', ['tags.rank', 'id:desc'], [10, 12, 13]],
  ['books', 'tags.rank:desc', [13, 10, 12]],
  ['books', [{ author: { name: 'asc' } }], [10, 12, 13]],
  ['books', [{ author: { name: 'asc' } }, 'id'], 400],
  ['books', 'pages:up', 400],
  ['books', 'note', 400],
];

describe('sort', () => {
  test.each(sorts)('%s by %j', (name, sort, expected) => {
    if (expected === 'unspecified') expect(() => ids(name, { sort })).toThrow();
    else expect(ids(name, { sort })).toEqual(expected);
  });
});

const pages: [Record<string, unknown>, unknown][] = [
  [{}, { page: 1, pageSize: 25, pageCount: 1, total: 3 }],
  [
    { page: '2', pageSize: 2 },
    { page: 2, pageSize: 2, pageCount: 2, total: 3 },
  ],
  [
    { page: -1, pageSize: 0 },
    { page: 1, pageSize: 1, pageCount: 3, total: 3 },
  ],
  [
    { pageSize: 1000, withCount: 'false' },
    { page: 1, pageSize: 100 },
  ],
  [
    { start: 1, limit: 5 },
    { start: 1, limit: 5, total: 3 },
  ],
  [{ limit: -1 }, { start: 0, limit: 1, total: 3 }],
  [{ start: 1, pageSize: 2 }, 400],
  [{ page: 'a' }, 400],
];

describe('pagination', () => {
  test.each(pages)('%j', (pagination, expected) => {
    const reply = ask({ name: 'books', query: { pagination } });
    expect(reply.status === 200 ? reply.body.meta.pagination : reply.status).toEqual(expected);
  });
});
