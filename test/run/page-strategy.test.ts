import { describe, expect, test } from 'vitest';
import { codesBetween, codesOf } from '../../src/core/sets/code-set.ts';
import type { Condition } from '../../src/query/bound.ts';
import type { Comparison } from '../../src/query/operators.ts';
import { unit } from '../../src/query/plan/cost-units.ts';
import type { Plan } from '../../src/query/plan/plan.ts';
import type { RequestView } from '../../src/query/plan/request-view.ts';
import { scanCost } from '../../src/query/plan/sort-cost.ts';
import {
  chooseEarlyPage,
  choosePage,
  chooseSorted,
  chooseWhole,
  isSingleLookup,
  pageRequest,
  printStrategy,
} from '../../src/query/run/page-strategy.ts';
import type { Column } from '../../src/store/columns/column.ts';
import type { Segment } from '../../src/store/segment.ts';

const rowCount = 100_000;
const offsets = [0, 0, 40_000, 60_000, 70_000, 80_000, rowCount];
const rating = { codes: { length: rowCount }, dictionary: { size: 5 }, index: { offsets } };
const columns = new Map([['rating', rating]]);
const segment = { rowCount, collection: { rowCount, columns, comparedTexts: new Map() } } as unknown as Segment;
const byRating = [{ path: ['rating'], descending: true }];
// only sorts through relations look at it
const view = {} as RequestView;
const everyCode = { joined: null, within: null };
const byAuthor = [{ path: ['author', 'name'], descending: false }];

describe('the strategy for known matches', () => {
  test.each([
    ['a page after the last match', 25, byRating, 25, 'empty'],
    ['no sort', 50_000, [], 0, 'window'],
    ['a sort by id', 50_000, [{ path: ['id'], descending: false }], 0, 'window'],
    ['many matches', 50_000, byRating, 0, 'indexScan'],
    ['few matches', 100, byRating, 0, 'topK'],
  ])('is right for %s', (_, total, sort, start, kind) => {
    expect(choosePage(view, segment, total, pageRequest(sort, start, 25), null).kind).toBe(kind);
  });

  test('is an index scan through a relation if a column holds what it leads to', () => {
    const names = { codes: { length: rowCount }, dictionary: { size: 3000 }, index: {} } as unknown as Column;
    const strategy = (total: number) =>
      chooseSorted(segment, total, pageRequest(byAuthor, 0, 25), { joined: names, within: null }, total * unit.rank);
    expect(strategy(50_000)).toMatchObject({ kind: 'indexScan', joined: names });
    expect(strategy(100)).toMatchObject({ kind: 'topK', joined: names });
    expect(chooseSorted(segment, 50_000, pageRequest(byAuthor, 0, 25), everyCode, 500_000).kind).toBe('topK');
  });

  test('is no scan of a joined column that may cost more than is charged', () => {
    const names = { codes: { length: rowCount }, dictionary: { size: 3000 }, index: {} } as unknown as Column;
    const most = scanCost(names, 50_000, 25, 0);
    const kinds = [most, most - 1].map((maximum) => {
      return chooseSorted(
        segment,
        50_000,
        pageRequest(byAuthor, 0, 25),
        { joined: names, within: null },
        500_000,
        maximum,
      ).kind;
    });
    expect(kinds).toEqual(['indexScan', 'topK']);
  });

  test('reads only the values that a filter of the sort key lets through', () => {
    const codes = codesBetween(2, 4);
    const values = { kind: 'values', segment, column: rating, codes, estimate: 30_000 } as unknown as Plan;
    const page = pageRequest(byRating, 0, 25);
    const strategy = (plan: Plan) => choosePage(view, segment, 3000, page, plan);
    const both = { kind: 'and', segment, parts: [values], estimate: 30_000 } as unknown as Plan;
    expect(strategy(values)).toMatchObject({ kind: 'indexScan', within: { low: 2, high: 4 } });
    expect(strategy(both)).toMatchObject({ kind: 'indexScan', within: { low: 2, high: 4 } });
    const cost = (plan: Plan) => (strategy(plan) as { expectedCost: number }).expectedCost;
    const other = { ...values, column: {} } as unknown as Plan;
    expect(strategy(other)).toMatchObject({ within: null });
    expect(cost(values)).toBeLessThan(cost(other));
    const withNull = { ...values, codes: codesBetween(0, 4) } as unknown as Plan;
    expect(strategy(withNull)).toMatchObject({ within: null });
  });

  test('of all matches costs about as much as all pages', () => {
    const cost = (start: number, limit: number) =>
      chooseSorted(segment, 50_000, pageRequest(byRating, start, limit), everyCode, 500_000).expectedCost;
    const all = chooseWhole(segment, 50_000, pageRequest(byRating, 0, 25).keys, everyCode).expectedCost;
    const pages = Array.from({ length: 20 }, (_, i) => cost(i * 2500, 2500));
    expect(all).toBeGreaterThanOrEqual(Math.max(...pages));
    expect(all).toBeLessThan(pages.reduce((sum, page) => sum + page, 0));
  });
});

describe('an early page', () => {
  const column = {};
  const values = (estimate: number, codes = codesBetween(1, 2)) =>
    ({ kind: 'values', segment, column, codes, estimate }) as unknown as Plan;
  const visible = (count: number, matches: number) =>
    ({
      kind: 'visible',
      segment,
      visible: { count, countWith: () => matches },
      estimate: count,
    }) as unknown as Plan;
  const both = (...parts: Plan[]): Plan => ({ kind: 'and', segment, parts, estimate: 0 });
  const first = pageRequest(byRating, 0, 10);

  test('is considered only for a filter that is one lookup in a column', () => {
    const value = (comparison: Comparison): Condition => {
      return { kind: 'value', attribute: 'rating', comparison, operands: [1], negated: false };
    };
    const related: Condition = { kind: 'related', attribute: 'author', condition: value('equal') };
    expect([[value('equal')], [value('between')], [value('isNull')]].map(isSingleLookup)).toEqual([true, true, true]);
    const others = [[], [value('contains')], [value('equalFolded')], [related], [value('equal'), value('less')]];
    expect(others.map(isSingleLookup)).toEqual(others.map(() => false));
  });

  test('is chosen for a filter that many rows match', () => {
    expect(chooseEarlyPage(values(60_000), first)).toMatchObject({ kind: 'early', total: 60_000, visible: null });
  });

  test('counts the matches among the visible rows, in either order of the parts', () => {
    const [matches, scope] = [values(60_000), visible(80_000, 45_000)];
    for (const plan of [both(matches, scope), both(scope, matches)]) {
      expect(chooseEarlyPage(plan, first)).toMatchObject({ total: 45_000 });
    }
  });

  test.each<[string, Plan, ReturnType<typeof pageRequest>]>([
    ['few rows match', values(100), first],
    ['the page is far from the beginning', values(60_000), pageRequest(byRating, 50_000, 10)],
    ['the first sort key leads through a relation', values(60_000), pageRequest(byAuthor, 0, 10)],
    ['the codes are many ranges', values(60_000, codesOf(Array(9).keys())), first],
    ['there are several conditions', both(values(60_000), values(60_000), visible(80_000, 45_000)), first],
    ['fewer visible rows match than the page ends at', both(values(60_000), visible(80_000, 9)), first],
  ])('is not chosen if %s', (_, plan, page) => {
    expect(chooseEarlyPage(plan, page)).toBeNull();
  });
});

test('strategies are printed with their order and rows', () => {
  const page = pageRequest(byRating, 25, 25);
  expect(printStrategy({ kind: 'indexScan' }, page)).toBe('index scan, rows 25 to 50 by rating descending');
  const within = { low: 1, high: 3 };
  expect(printStrategy({ kind: 'indexScan', within }, page)).toBe(
    'index scan, rows 25 to 50 by rating descending, values of the filter only',
  );
  expect(printStrategy({ kind: 'window' }, pageRequest([], 0, 10))).toBe('window of ids, rows 0 to 10 by id ascending');
});
