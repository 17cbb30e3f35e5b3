// What caches hold in memory, measured on the heap, against what they count and what their budgets allow.
import { expect, test } from 'vitest';
import type { Content, OpenOptions } from '../src/index.ts';
import { encodeQuery, openGuide } from './support/guide.ts';

const collect = globalThis.gc!;

/** Bytes of the heap and of buffers outside it that are in use. */
function usedBytes(): number {
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const templateBytes = 16 * 2 ** 20;

/** `count` words, each one of two, chosen by the bits of a number. */
const words = (number: number, count: number, zero: string, one: string) =>
  Array.from({ length: count }, (_, i) => ((number >> (i % 13)) & 1 ? one : zero));

const comparisons = (number: number, count: number, key: string, zero: string, one: string) =>
  words(number, count, zero, one)
    .map((operator, i) => `${key}[$and][${i}]${operator}=a${i}`)
    .join('&');

/** Forms of queries that are large when bound: none is equal to another of the same kind. */
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

/** Asks each query and fails if one is not answered. Gives the bytes that are held more than before. */
async function heldAfter(content: Content, count: number, queryOf: (number: number) => string): Promise<number> {
  const ask = async (number: number) => {
    const { status, body } = await content.answer(`/api/restaurants?${encodeQuery(queryOf(number))}`);
    if (status !== 200) throw new Error(`${queryOf(number)}: ${body}`);
  };
  await ask(0);
  const before = usedBytes();
  for (let number = 1; number <= count; number++) await ask(number);
  return usedBytes() - before;
}

const open = (options: OpenOptions) => openGuide({ dialect: 'strapi', compression: false, ...options });

test.each(Object.entries(forms))('templates hold no more than they count: %s', async (_, queryOf) => {
  const content = await open({ cacheBytes: 0 });
  const held = await heldAfter(content, 100, queryOf);
  const { bytes } = content.cacheFigures.templates;
  expect(bytes).toBeGreaterThan(2 ** 19);
  expect(held).toBeLessThan(bytes + 2 ** 19);
});

/** Bytes that all caches of the content count together. */
function countedBytes(content: Content): number {
  return Object.values(content.cacheFigures).reduce((sum, { bytes }) => sum + bytes, 0);
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

test.each(Object.entries(repeated))(
  'replies and rows hold no more than caches count, within the budgets: %s',
  async (_, queryOf) => {
    const cacheBytes = 6 * 2 ** 20;
    const content = await openGuide({ compression: false, cacheBytes });
    // what is asked for once is not kept
    const twice = (n: number) => queryOf(n >> 1);
    const held = await heldAfter(content, 5000, twice);
    const counted = countedBytes(content);
    expect(counted).toBeGreaterThan(4 * 2 ** 20);
    expect(counted).toBeLessThan(cacheBytes + templateBytes);
    expect(held).toBeLessThan(counted + 2 ** 20);
  },
);

test('10,000 different requests leave what the budgets allow', async () => {
  const cacheBytes = 6 * 2 ** 20;
  const content = await openGuide({ compression: false, cacheBytes });
  const kinds = [repeated.replies, repeated['rows of a filter'], forms['texts that are searched for']];
  const held = await heldAfter(content, 10_000, (n) => kinds[n % kinds.length](n));
  expect(countedBytes(content)).toBeGreaterThan(8 * 2 ** 20);
  expect(held).toBeLessThan(cacheBytes + templateBytes + 2 ** 20);
});
