// The memory of caches, measured on the heap, compared with their own count and their budgets.
import { describe, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { encodeQuery, openGuide } from '../support/guide.ts';
import { heldAfter } from '../support/heap.ts';

const templateBytes = 16 * 2 ** 20;

/** `count` words, each either `zero` or `one`, chosen by the bits of a number. */
const words = (number: number, count: number, zero: string, one: string) =>
  Array.from({ length: count }, (_, i) => ((number >> (i % 13)) & 1 ? one : zero));

const comparisons = (number: number, count: number, key: string, zero: string, one: string) =>
  words(number, count, zero, one)
    .map((operator, i) => `${key}[$and][${i}]${operator}=a${i}`)
    .join('&');

/** Kinds of queries that are large when bound. All queries of one kind are distinct. */
const forms: Record<string, (number: number) => string> = {
  'comparisons of texts': (n) => comparisons(n, 40, 'filters', '[name][$contains]', '[motto][$startsWith]'),
  'comparisons through relations': (n) => comparisons(n, 20, 'filters', '[chef][mentor][name]', '[chef][name][$ne]'),
  'comparisons of what is populated': (n) => comparisons(n, 30, 'populate[chef][filters]', '[name][$lt]', '[bio]'),
  'lists of operands': (n) =>
    words(n, 13, '$in', '$notIn')
      .flatMap((operator, i) => [0, 1, 2, 3, 4].map((j) => `filters[$or][${i}][id][${operator}][${j}]=${j}`))
      .join('&'),
  'sort keys': (n) => `sort=${words(n, 180, 'name', 'seats').join(',')}`,
  'sort keys through relations': (n) => `sort=${words(n, 40, 'chef.mentor.articles.title', 'chef.name').join(',')}`,
  'sort keys of what is populated': (n) =>
    `populate[chef][sort]=${words(n, 60, 'name', 'id').join(',')}&populate[nearby][sort]=${words(n, 60, 'seats', 'id').join(',')}`,
  'populated relations': (n) =>
    words(n, 6, '[mentor]', '[mentees]')
      .map((name, i) => `populate[chef]${'[populate][mentor]'.repeat(i)}[populate]${name}[fields]=name,bio,stars`)
      .join('&'),
  'populated types': (n) =>
    `populate[chef][populate][bookmarks][populate][targets][on][api::chef.chef][fields]=${words(n, 13, 'name', 'id').join(',')}`,
  'groups that mean nothing': (n) =>
    words(n, 13, 'x', 'y')
      .map((name, i) => `pagination[${name}${i}][a][b][c]=1`)
      .join('&'),
  'texts that are searched for': (n) => `_q=${n}${'%20a'.repeat(500)}`,
};

/** Sends queries 1 to `count` and returns the additional bytes on the heap. Fails if a query is not answered. */
function heldAfterQueries(content: Content, count: number, queryOf: (number: number) => string): Promise<number> {
  return heldAfter(count, async (number) => {
    const { status, body } = await content.answer(`/api/restaurants?${encodeQuery(queryOf(number))}`);
    if (status !== 200) throw new Error(`${queryOf(number)}: ${body}`);
  });
}

describe('prepared queries', () => {
  const openAlone = () => openGuide({ dialect: 'strapi', compression: false, cacheBytes: 0 });

  test.each(Object.entries(forms))('hold no more memory than they count: %s', async (_, queryOf) => {
    const content = await openAlone();
    const held = await heldAfterQueries(content, 100, queryOf);
    const counted = content.history.cacheFigures.preparedQueries.bytes;
    expect(counted).toBeGreaterThan(2 ** 19);
    expect(held).toBeLessThan(counted + 2 ** 19);
  });

  test('stay within the budget, and grow by at most 2 MB over 300,000 different ones', async () => {
    const queryOf = (n: number) => `fields=id&~${n}=1`;
    const content = await openAlone();
    const filled = await heldAfterQueries(content, 10_000, queryOf);
    const counted = content.history.cacheFigures.preparedQueries.bytes;
    expect(counted).toBeGreaterThan(templateBytes * 0.9);
    expect(counted).toBeLessThanOrEqual(templateBytes);
    expect(filled).toBeLessThan(templateBytes + 2 ** 20);
    const held = await heldAfterQueries(content, 300_000, (n) => queryOf(10_000 + n));
    expect(held).toBeLessThan(2e6);
  }, 300_000);
});

/** The bytes that the caches of replies and rows count in total. */
function countedBytes({ history }: Content): number {
  const { url, query, rows, preparedQueries } = history.cacheFigures;
  return url.bytes + query.bytes + rows.bytes + preparedQueries.bytes;
}

const repeated: Record<string, (number: number) => string> = {
  replies: (n) => `filters[id]=${n}&fields=id`,
  'replies in many forms': (n) =>
    `filters[id]=${(n % 9) + 1}&populate[nearby][fields]=${words(n, 13, 'name', 'seats').join(',')}`,
  'replies in many forms that omit something': (n) =>
    `populate[licence]=true&filters[id]=1&fields=${words(n, 13, 'name', 'seats').join(',')}&pagination[withCount]=${n % 2 > 0}`,
  'replies to long queries': (n) => `filters[name][$in][0]=${n}&filters[name][$in][1]=${'a'.repeat(1000)}`,
  'rows of a filter': (n) => `filters[id][$gt]=${n}&fields=id`,
};

// cache-budgets.test.ts fills each cache by itself; here requests fill them
test.each(Object.entries(repeated))(
  'cached replies and rows hold no more memory than they count, within the budgets: %s',
  async (_, queryOf) => {
    const cacheBytes = 3 * 2 ** 20;
    const content = await openGuide({ compression: false, cacheBytes });
    // a reply is cached at the second request
    const held = await heldAfterQueries(content, 2000, (n) => queryOf(n >> 1));
    const counted = countedBytes(content);
    // one of the two caches of replies is full, and the other almost
    expect(counted).toBeGreaterThan(1.5 * 2 ** 20);
    expect(counted).toBeLessThan(cacheBytes + templateBytes);
    expect(held).toBeLessThan(counted + 2 ** 20);
  },
);
