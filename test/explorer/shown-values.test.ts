import { describe, expect, test } from 'vitest';
import { visibleText } from '../../src/explorer/controls/visible-text.ts';
import { countText } from '../../src/explorer/reply/amounts.ts';
import { errorOf } from '../../src/explorer/reply/api-error.ts';
import { linkOf, previewOf, summaryOf, thumbnailOf } from '../../src/explorer/reply/summaries.ts';
import { columnsBetween, tableOf } from '../../src/explorer/reply/table-columns.ts';

/** Values of replies as people see them. */

test('counts have commas between their thousands', () => {
  for (const count of [0, 7, 999, 1000, 1321, 99_999, 100_000, 1_234_567, 1e12, -1, -999, -1234, 0.5, 1234.56789]) {
    expect(countText(count)).toBe(count.toLocaleString('en'));
  }
});

describe('one line tells most of', () => {
  test.each([
    ['an entry', { id: 1, documentId: 'a', title: 'Harbour' }, 'Harbour'],
    ['entries', [{ name: 'Ada' }, { name: 'Bo' }], 'Ada · Bo'],
    [
      'an entry that leads to others',
      { name: 'Ada', team: { documentId: 't', name: 'Reds' }, posts: [{ documentId: 'p', title: 'One' }], tags: ['x'] },
      'Ada (team: Reds, posts: One)',
    ],
    ['a list in an object', { data: [{ name: 'Ada' }] }, 'Ada'],
    ['a number of entries', { count: 3 }, '3 entries'],
    ['blocks', [{ type: 'paragraph', children: [{ type: 'text', text: 'Once' }] }], 'Once'],
    ['a component of a zone', [{ __component: 'block.quote', id: 4 }], 'block.quote'],
    ['other names', { id: 1, metaTitle: 'For robots' }, 'For robots'],
    ['an object without a name', { a: 1, b: [1], c: null }, '{ a: 1, b: […], c: null }'],
    ['nothing', null, ''],
  ])('%s', (_, value, expected) => {
    expect(summaryOf(value)).toBe(expected);
  });

  test('however long the value is', () => {
    const long = Array.from({ length: 100_000 }, (_, i) => ({ name: `entry ${i}`, inner: { list: [i] } }));
    for (const value of [long, { long }, 'x'.repeat(1e6), { text: 'x'.repeat(1e6) }]) {
      expect(summaryOf(value, 100).length).toBeLessThanOrEqual(100);
      expect(previewOf(value, 100).length).toBeLessThan(160);
    }
  });
});

test('a text cannot look like another one by turning its direction', () => {
  expect(visibleText('https://example.org/\u202egnp.exe')).toBe('https://example.org/\\u202egnp.exe');
  expect(visibleText('שלום\u200f!')).toBe('שלום\u200f!');
});

test.each([
  ['https://example.org/a?b=c', true],
  ['HTTP://EXAMPLE.ORG', true],
  ['javascript:alert(1)', false],
  ['JavaScript://example.org/%0aalert(1)', false],
  ['data:text/html,<b>', false],
  ['//example.org', false],
  [' https://example.org', false],
  ['https://', false],
])('%j is a link: %s', (text, isLink) => {
  expect(linkOf(text)).toBe(isLink ? text : null);
});

describe('pictures', () => {
  const here = { base: '', mediaUrl: 'https://media.example' };
  const file = (url: string, mime = 'image/png') => ({ mime, url, formats: null });
  test('of this server and of mediaUrl are shown, in their smallest size', () => {
    expect(thumbnailOf(file('/uploads/a.png'), here)).toBe('/uploads/a.png');
    expect(thumbnailOf(file('/uploads/a.png'), { ...here, base: '/blue' })).toBe('/blue/uploads/a.png');
    const large = { ...file('/uploads/a.png'), formats: { thumbnail: { url: '/uploads/small.png' } } };
    expect(thumbnailOf(large, here)).toBe('/uploads/small.png');
    expect(thumbnailOf(file('https://media.example/a.png'), here)).toBe('https://media.example/a.png');
  });

  test('of others are not', () => {
    for (const url of [
      '//evil.example/a.png',
      '/\\evil.example/a.png',
      '/\t/evil.example/a.png',
      'uploads/a.png',
      'https://evil.example/a.png',
      'https://media.example.evil/a.png',
      'javascript:1',
    ]) {
      expect(thumbnailOf(file(url), here)).toBeNull();
    }
    expect(thumbnailOf(file('/a.pdf', 'application/pdf'), here)).toBeNull();
  });
});

describe('a table', () => {
  test('has a column for each attribute, in their order, and numbers apart', () => {
    const table = tableOf({
      data: [
        { id: 1, title: 'a' },
        { id: 2, title: 'b', lead: null },
      ],
      meta: {},
    });
    expect(table?.columns.map(({ name, isNumeric }) => [name, isNumeric])).toEqual([
      ['id', true],
      ['title', false],
      ['lead', false],
    ]);
  });

  test('has what is populated after the first text', () => {
    const names = (links: string[], ...data: object[]) => tableOf({ data }, links)?.columns.map(({ name }) => name);
    const author = { name: 'Ada' };
    expect(names(['author'], { id: 1, documentId: 'a', stars: 4, title: 'a', lead: 'b', author })).toEqual([
      'id',
      'documentId',
      'stars',
      'title',
      'author',
      'lead',
    ]);
    expect(names(['author'], { id: 1, author, documentId: 'a' })).toEqual(['id', 'documentId', 'author']);
  });

  test('draws the columns of which some part is in view', () => {
    const columns = [100, 200, 100, 300].map((width, i) => ({ name: String(i), width, isNumeric: false }));
    expect(columnsBetween(columns, 0, 50)).toEqual([0, 1]);
    expect(columnsBetween(columns, 100, 301)).toEqual([1, 3]);
    expect(columnsBetween(columns, 299, 400)).toEqual([1, 3]);
    expect(columnsBetween(columns, 400, 1000)).toEqual([3, 4]);
    expect(columnsBetween([], 0, 1000)).toEqual([0, 0]);
  });

  test('of one entry has a row for each attribute', () => {
    expect(tableOf({ data: { id: 1, title: 'a' }, meta: {} })?.rows).toEqual([
      { name: 'id', value: 1 },
      { name: 'title', value: 'a' },
    ]);
  });

  test('does not exist of anything else', () => {
    for (const value of [3, 'text', null, { data: [1, 2] }, { data: null }]) expect(tableOf(value)).toBeNull();
  });
});

test('an error names its place and value', () => {
  const details = { param: 'filters', path: 'author.name', value: { $x: 1 } };
  const reply = { data: null, error: { status: 400, name: 'ValidationError', message: 'Invalid key', details } };
  expect(errorOf(400, reply)).toEqual({
    status: 400,
    name: 'ValidationError',
    message: 'Invalid key',
    place: ['filters', 'author.name'],
    value: '{"$x":1}',
    details,
  });
  expect(errorOf(200, reply)).toBeNull();
  expect(errorOf(502, undefined)).toMatchObject({ status: 502, name: 'Error', place: [] });
});
