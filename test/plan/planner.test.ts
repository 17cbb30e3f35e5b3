import { describe, expect, test } from 'vitest';
import { BitSet } from '../../src/core/sets/bit-set.ts';
import type { Condition, RelatedCondition } from '../../src/query/bound.ts';
import { averageCost, maximumCost, testingCost } from '../../src/query/plan/cost-model.ts';
import { unit } from '../../src/query/plan/cost-units.ts';
import type { Plan, Values } from '../../src/query/plan/plan.ts';
import { planQuery } from '../../src/query/plan/planner.ts';
import { everyStatus, findAll, segmentsOf, viewOf } from './segments.ts';

// six articles; three of them by author 0, two by author 1, one by nobody
const segments = segmentsOf({
  article: {
    rowCount: 6,
    columns: { rating: { type: 'integer', values: [1, 2, 3, 4, 5, undefined] } },
    links: { author: { target: 'author', rows: [[0], [0], [0], [1], [1], []] } },
  },
  author: {
    rowCount: 4,
    columns: { name: { type: 'string', values: ['Ada', 'Bo', 'Cy', undefined] } },
    links: { articles: { target: 'article', rows: [[0, 1, 2], [3, 4], [], []] } },
  },
});
const articles = segments.get('article')!;

const is = (attribute: string, ...operands: (string | number)[]): Condition => ({
  kind: 'value',
  attribute,
  comparison: operands.length === 0 ? 'isNull' : 'equal',
  operands,
  negated: false,
});
const contains = (needle: string): Condition => ({
  kind: 'value',
  attribute: 'name',
  comparison: 'contains',
  operands: [needle],
  negated: false,
});
const by = (condition: Condition): RelatedCondition => ({ kind: 'related', attribute: 'author', condition });
const wrote = (condition: Condition): RelatedCondition => ({ kind: 'related', attribute: 'articles', condition });
const not = (condition: RelatedCondition): Condition => ({ kind: 'not', condition });
const all = (...conditions: Condition[]): Condition => ({ kind: 'all', conditions });
const any = (...conditions: Condition[]): Condition => ({ kind: 'any', conditions });

const planOf = (condition: Condition, view = viewOf(segments)) =>
  planQuery(view, articles, everyStatus, [condition], findAll);

describe('a plan', () => {
  const dropped = ['drop a scope of all rows', 'fold constants', 'unwrap a single part'];

  test.each<[string, Condition, Plan['kind'], number, string[]]>([
    ['one value', is('rating', 2), 'values', 1, dropped],
    ['a value that no row has', is('rating', 9), 'values', 0, dropped],
    ['null', is('rating'), 'values', 1, dropped],
    ['a relation', by(is('name', 'Ada')), 'semiJoin', 2, dropped],
    ['a relation to nothing, or to a row with null', by(is('name')), 'semiJoin', 3, dropped],
    ['a negated relation', not(by(is('name', 'Ada'))), 'antiJoin', 6, dropped],
    ['two values', any(is('rating', 1), is('rating', 2)), 'or', 2, dropped],
    [
      'values of which the second has fewer rows',
      all(by(is('name', 'Bo')), is('rating', 9)),
      'and',
      0,
      ['fewest rows first', 'drop a scope of all rows', 'fold constants', 'unwrap a single part'],
    ],
    [
      'a value, and a relation to nothing, which more rows have',
      all(by(is('name')), is('rating', 1)),
      'and',
      1,
      ['fewest rows first', 'drop a scope of all rows', 'fold constants', 'unwrap a single part'],
    ],
    ['nothing', any(), 'nothing', 0, ['drop a scope of all rows', 'fold constants']],
    ['everything', all(), 'everything', 6, ['drop a scope of all rows', 'fold constants']],
    [
      'a list of one',
      any(is('rating', 1)),
      'values',
      1,
      ['unwrap a single part', 'drop a scope of all rows', 'fold constants'],
    ],
  ])('of %s', (_, condition, kind, estimate, rewrites) => {
    const planned = planOf(condition);
    expect(planned.plan).toMatchObject({ kind, estimate });
    expect(planned.rewrites).toEqual(rewrites);
  });

  test('matches rows without links where the condition is true for nulls', () => {
    expect(planOf(by(is('name'))).plan).toMatchObject({ kind: 'semiJoin', matchesUnlinked: true });
    expect(planOf(by(is('name', 'Ada'))).plan).toMatchObject({ kind: 'semiJoin', matchesUnlinked: false });
    const excluded = by(not(wrote(is('rating', 1))));
    expect(planOf(excluded).plan).toMatchObject({ matchesUnlinked: true, inner: { kind: 'antiJoin' } });
  });

  test('is charged what planning its comparisons costs, and what running it costs at most', () => {
    const view = viewOf(segments);
    view.budget.charge(500);
    const { plan, cost } = planOf(all(is('rating', 1), by(is('name', 'Ada'))), view);
    expect(cost).toBe(2 * unit.plannedComparison + maximumCost(plan));
    expect(view.budget.charged).toBe(500 + cost);
  });

  test('is rejected before a search that the budget does not cover', () => {
    const search = by(any(contains('a'), contains('b')));
    const { cost } = planOf(search);
    expect(() => planOf(search, viewOf(segments, { steps: cost }))).not.toThrow();
    expect(() => planOf(search, viewOf(segments, { steps: 1.5 * unit.plannedComparison }))).toThrow('budgets.steps');
  });
});

describe('the cost of running a plan', () => {
  const plans: [string, Condition][] = [
    ['a value', is('rating', 1)],
    ['a relation', by(is('name', 'Ada'))],
    ['a path there and back', by(wrote(by(is('name', 'Ada'))))],
    ['a relation that may be missing', by(is('name'))],
    ['a negation', not(by(not(wrote(is('rating', 1)))))],
    ['several conditions', all(any(is('rating', 1), by(contains('a'))), is('rating', 2))],
  ];

  test.each(plans)('is at most the maximum: %s', (_, condition) => {
    const { plan } = planOf(condition);
    expect(averageCost(plan)).toBeLessThanOrEqual(maximumCost(plan));
  });

  test('of codes that are bits is that of their rows, or of testing each row if there are many codes', () => {
    const one = planOf(is('rating', 1)).plan as Values;
    const costOfCodes = (...listed: number[]) => {
      const codes = new BitSet(one.column.dictionary.size + 1);
      for (const code of listed) codes.add(code);
      return maximumCost({ ...one, codes: { kind: 'bits', codes }, estimate: listed.length });
    };
    expect(costOfCodes(2)).toBe(unit.bitWord + unit.codeWord + unit.countedCode + unit.listedRow);
    expect(costOfCodes(2, 3)).toBe(unit.bitWord + 6 * unit.maskedRow);
  });

  const inner = (condition: Condition) => planOf(by(condition)).plan as Plan & { kind: 'semiJoin' };
  const costOfLinks = (rows: number, links: number) => rows * unit.reversedRow + links * unit.reversedLink;
  // one word each
  const bits = unit.bitWord * 2;

  test.each([
    ['Ada', 3],
    ['Bo', 2],
    ['Cy', 0],
  ])('counts the links of few rows: those of %s', (name, links) => {
    const one = inner(is('name', name));
    for (const cost of [averageCost, maximumCost]) {
      expect(cost(one)).toBeCloseTo(cost(one.inner) + bits + costOfLinks(1, links));
    }
  });

  test('counts the most links that rows can have, or as many as they have on average, if the rows are not known', () => {
    const one = inner(any(is('name', 'Cy'), is('name', 'Dee')));
    expect(maximumCost(one)).toBeCloseTo(maximumCost(one.inner) + bits + costOfLinks(1, 3));
    expect(averageCost(one)).toBeCloseTo(averageCost(one.inner) + bits + costOfLinks(1, 2));
  });

  test('counts at most the links of the relation, however often they are followed', () => {
    const there = inner(wrote(by(is('name', 'Ada'))));
    // three articles of one author lead to three of four authors at most
    const followed = 4 * unit.orderedRow + 5 * unit.reversedLink;
    expect(maximumCost(there)).toBeCloseTo(maximumCost(there.inner) + bits + followed);
  });

  test('counts every row if rows without links match', () => {
    const { plan } = planOf(by(is('name')));
    const linked = inner(is('name', 'Cy'));
    expect(maximumCost(plan)).toBeCloseTo(maximumCost(linked) + 6 * unit.unlinkedRow);
    const authors = segments.get('author')!;
    const reachable = (segment: unknown) => (segment === authors ? BitSet.full(4) : null);
    const ofReachable = planOf(by(is('name')), viewOf(segments, { reachable })).plan;
    expect(maximumCost(ofReachable)).toBeCloseTo(maximumCost(plan) + 5 * unit.unlinkedLink);
  });
});

describe('the cost of testing rows', () => {
  test.each<[string, Condition, number, number]>([
    ['one comparison a row', is('rating', 1), 3, 3],
    ['a comparison for each link', by(is('name', 'Ada')), 3, 6],
    ['the most links that rows can have', wrote(is('rating', 1)), 1, 4],
    ['every comparison', all(is('rating', 1), is('rating', 2)), 3, 6],
  ])('is that of %s', (_, condition, rows, tests) => {
    const collection = condition.kind === 'related' && condition.attribute === 'articles' ? 'author' : 'article';
    const { plan } = planQuery(viewOf(segments), segments.get(collection)!, everyStatus, [condition], findAll);
    expect(testingCost(plan, rows)).toBe(tests * unit.testedRow);
  });

  test('counts a row once, however many links lead to it, if its test is not a single comparison', () => {
    const { plan } = planOf(by(any(contains('a'), contains('b'))));
    const { inner } = plan as Plan & { kind: 'semiJoin' };
    const parts = (inner as Plan & { kind: 'or' }).parts as Values[];
    expect(parts.map(({ kind }) => kind)).toEqual(['values', 'values']);
    const table = unit.bitWord;
    expect(testingCost(plan, 6)).toBeCloseTo(6 * unit.testedRow + 5 * unit.testedRow + table + testingCost(inner, 4));
  });
});
