import { expect, test } from 'vitest';
import { unit } from '../../src/plan/cost-units.ts';
import { prefersIndexScan, prefersRankingAll, rankingCost, scanCost } from '../../src/plan/sort-cost.ts';
import type { Collection } from '../../src/store/collection.ts';
import { collectionsOf, viewOf } from './collections.ts';

// ten articles, all of them by author 0
const rows = Array.from({ length: 10 }, () => [0]);
const collections = collectionsOf({
  article: { rowCount: 10, columns: {}, links: { author: { target: 'author', rows } } },
  author: { rowCount: 1000, columns: {}, links: {} },
});
const articles = collections.get('article')!;
const view = viewOf(collections);
const by = (...path: string[]) => ({ path, descending: false });

test.each([
  ['nothing', [], 0],
  ['a value', [by('title')], unit.sortName + 4 * unit.rank],
  ['two values', [by('title'), by('title')], 2 * (unit.sortName + 4 * unit.rank)],
  [
    'a value of a related row',
    [by('author', 'name')],
    2 * unit.sortName + 4 * (unit.linkedRank + unit.sortLink + unit.rank + unit.scatteredValue),
  ],
])('ranking four rows by %s', (_, keys, cost) => {
  expect(rankingCost(view, articles, keys, 4)).toBe(cost);
});

test('ranking all rows of a collection is preferred when links lead to so many that it costs less', () => {
  const authors = collections.get('author')!;
  expect([400, 401].map((links) => prefersRankingAll(links, authors))).toEqual([false, true]);
});

test('a scan is preferred from the number of matches at which it costs less', () => {
  const totals = Array.from({ length: 2000 }, (_, total) => prefersIndexScan(100_000, total, 25));
  const first = totals.indexOf(true);
  expect(totals.slice(first)).not.toContain(false);
  const expected = (total: number) => ((100_000 * 25) / total) * unit.scannedRow;
  expect(expected(first)).toBeLessThan(first * unit.rank);
  expect(expected(first - 1)).toBeGreaterThanOrEqual((first - 1) * unit.rank);
});

test('a scan is charged for all rows', () => {
  expect(scanCost({ rowCount: 100_000 } as Collection)).toBe(100_000 * unit.scannedRow);
});
