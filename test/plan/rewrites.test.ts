import { describe, expect, test } from 'vitest';
import type { Condition } from '../../src/query/bound.ts';
import type { LogicalPlan } from '../../src/query/plan/logical-plan.ts';
import { buildLogicalPlan } from '../../src/query/plan/logical-plan.ts';
import type { PhysicalPlan } from '../../src/query/plan/physical-plan.ts';
import { logicalRewrites, physicalRewrites, rewrite } from '../../src/query/plan/rewrites.ts';
import type { Segment } from '../../src/store/segment.ts';

const equals = (attribute: string): LogicalPlan & Condition => ({
  kind: 'value',
  attribute,
  comparison: 'equal',
  operands: ['x'],
  negated: false,
});
const [a, b, c] = ['a', 'b', 'c'].map(equals);
const everything: LogicalPlan = { kind: 'everything' };
const nothing: LogicalPlan = { kind: 'nothing' };
const and = (...parts: LogicalPlan[]): LogicalPlan => ({ kind: 'and', parts });
const or = (...parts: LogicalPlan[]): LogicalPlan => ({ kind: 'or', parts });
const rewritten = (plan: LogicalPlan) => rewrite(plan, logicalRewrites, new Set());
const semiJoin = (inner: LogicalPlan): LogicalPlan => ({
  kind: 'semiJoin',
  attribute: 'author',
  inner,
  matchesUnlinked: false,
});

describe('rewrites of logical plans', () => {
  test.each<[string, LogicalPlan, LogicalPlan]>([
    ['nothing decides an and', and(a, nothing), nothing],
    ['everything decides an or', or(a, everything), everything],
    ['everything has no effect in an and', and(a, everything, b), and(a, b)],
    ['nothing has no effect in an or', or(nothing, a, b), or(a, b)],
    ['an empty and selects everything', and(), everything],
    ['an empty or selects nothing', or(), nothing],
    ['a single part is unwrapped', and(or(a)), a],
    ['an and in an and is flattened', and(a, and(b, c)), and(a, b, c)],
    ['an or in an or is flattened', or(or(a, b), c), or(a, b, c)],
    ['an and in an or stays', or(and(a, b), c), or(and(a, b), c)],
    ['a part that becomes an and by unwrapping is flattened', and(a, or(and(b, c))), and(a, b, c)],
    ['the inner plan of a semi-join is rewritten', semiJoin(and(a)), semiJoin(a)],
    [
      'the inner plan of an anti-join is rewritten',
      { kind: 'antiJoin', inner: semiJoin(or(a)) },
      { kind: 'antiJoin', inner: semiJoin(a) },
    ],
  ])('%s', (_, plan, expected) => {
    expect(rewritten(plan)).toEqual(expected);
  });

  test('a plan that no rewrite applies to is not copied', () => {
    const plan = and(a, semiJoin(or(b, c)));
    const applied = new Set<string>();
    expect(rewrite(plan, logicalRewrites, applied)).toBe(plan);
    expect([...applied]).toEqual([]);
  });

  test('the names of rewrites that changed a plan are given once, in the order in which they did', () => {
    const applied = new Set<string>();
    rewrite(and(a, or(and(b, and(c))), or(nothing, a)), logicalRewrites, applied);
    expect([...applied]).toEqual(['unwrap a single part', 'fold constants', 'flatten nested and, or']);
  });
});

describe('rewrites of physical plans', () => {
  const segment = { rowCount: 100, delta: null } as Segment;
  const values = (estimate: number) => ({ kind: 'values', segment, estimate }) as PhysicalPlan;
  const visible = (count: number) =>
    ({ kind: 'visible', segment, visible: { count }, estimate: count }) as PhysicalPlan;
  const both = (...parts: PhysicalPlan[]): PhysicalPlan => ({ kind: 'and', segment, parts, estimate: 0 });
  const ordered = (plan: PhysicalPlan) => rewrite(plan, physicalRewrites, new Set());

  test('the parts of an and run in ascending order of their estimates', () => {
    const [many, some, few] = [90, 20, 3].map(values);
    expect(ordered(both(many, few, some))).toEqual(both(few, some, many));
  });

  test('only a scope of all rows is dropped', () => {
    expect(ordered(both(values(3), visible(100)))).toEqual(values(3));
    expect(ordered(both(values(3), visible(99)))).toEqual(both(values(3), visible(99)));
    expect(ordered(both(visible(100), visible(100)))).toMatchObject({ kind: 'everything', segment });
  });
});

describe('logical plans', () => {
  const scope = { status: 'published', locale: null, publication: null } as const;
  const isNull: Condition = { kind: 'value', attribute: 'name', comparison: 'isNull', operands: [], negated: false };
  const related = (condition: Condition) => ({ kind: 'related', attribute: 'author', condition }) as const;

  test('a condition that is true for nulls also matches rows without links', () => {
    expect(buildLogicalPlan([related(isNull), related(equals('name'))], scope)).toMatchObject({
      kind: 'and',
      parts: [{ matchesUnlinked: true }, { matchesUnlinked: false }, { kind: 'visible', scope }],
    });
  });

  test('a negated relation matches rows without links only if the relation does not', () => {
    const plan = buildLogicalPlan([related({ kind: 'not', condition: related(equals('name')) })], scope);
    expect(plan).toMatchObject({ parts: [{ matchesUnlinked: true, inner: { kind: 'antiJoin' } }, {}] });
  });
});
