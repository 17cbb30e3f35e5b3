import { describe, expect, test } from 'vitest';
import { unit } from '../../src/query/plan/cost-units.ts';
import { expectedScanCost, prefersRankingAll, rankingCost, scanCost } from '../../src/query/plan/sort-cost.ts';
import type { Column } from '../../src/store/columns/column.ts';
import { segmentsOf, viewOf } from './segments.ts';

// ten articles, all of them by author 0
const rows = Array.from({ length: 10 }, () => [0]);
const segments = segmentsOf({
  article: { rowCount: 10, columns: {}, links: { author: { target: 'author', rows } } },
  author: { rowCount: 1000, columns: {}, links: {} },
});
const articles = segments.get('article')!;
const view = viewOf(segments);
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

test('ranking all rows of a segment is preferred when links lead to so many that it costs less', () => {
  const authors = segments.get('author')!;
  expect([400, 401].map((links) => prefersRankingAll(links, authors))).toEqual([false, true]);
});

describe('an index scan of 100,000 rows', () => {
  const column = (values: number) =>
    ({ codes: { length: 100_000 }, dictionary: { size: values }, index: { offsets: [] } }) as unknown as Column;

  test.each([
    ['few values', 5, 560],
    ['a value for each row', 100_000, 1521],
  ])('of %s costs less than ranking all matches from this number on', (_, values, matches) => {
    const isCheaper = (total: number) => expectedScanCost(column(values), total, 25, null) < total * unit.rank;
    expect([matches - 1, matches].map(isCheaper)).toEqual([false, true]);
  });

  const bits = 3125 * unit.bitWord;

  test.each([
    ['the rows up to the page, if all match', 5, 100_000, 0, 25 * unit.scannedRow + 6 * unit.scannedValue],
    ['the rows that do not match, too', 5, 99_000, 0, 1025 * unit.scannedRow + 6 * unit.scannedValue],
    ['the values of these rows', 100_000, 99_000, 0, 1025 * (unit.scannedRow + unit.scannedValue)],
    ['all rows, if there are further keys', 5, 99_000, 1, 100_000 * unit.scannedRow + 6 * unit.scannedValue],
  ])('is charged for %s', (_, values, total, furtherKeys, cost) => {
    expect(scanCost(column(values), total, 25, furtherKeys)).toBe(bits + cost);
  });
});
