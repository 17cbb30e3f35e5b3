import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/query/plan/plan.ts';
import { rewrite, rewrites } from '../../src/query/plan/rewrites.ts';
import type { Segment } from '../../src/store/segment.ts';

const segment = { rowCount: 100, delta: null } as Segment;
const values = (estimate: number, attribute = 'a') =>
  ({ kind: 'values', segment, estimate, condition: { attribute } }) as Plan;
const [a, b, c] = ['a', 'b', 'c'].map((name, i) => values(i + 1, name));
const everything: Plan = { kind: 'everything', segment, estimate: 100 };
const nothing: Plan = { kind: 'nothing', segment, estimate: 0 };
const and = (...parts: Plan[]): Plan => ({ kind: 'and', segment, parts, estimate: 0 });
const or = (...parts: Plan[]): Plan => ({ kind: 'or', segment, parts, estimate: 0 });
const semiJoin = (inner: Plan) => ({ kind: 'semiJoin', segment, attribute: 'author', inner }) as unknown as Plan;
const visible = (count: number) => ({ kind: 'visible', segment, visible: { count }, estimate: count }) as Plan;
const rewritten = (plan: Plan, applied: string[] = []) => rewrite(plan, rewrites, applied);

describe('a plan is rewritten', () => {
  test.each<[string, Plan, Plan]>([
    ['nothing decides an and', and(a, nothing), nothing],
    ['everything decides an or', or(a, everything), everything],
    ['everything has no effect in an and', and(a, everything, b), and(a, b)],
    ['nothing has no effect in an or', or(nothing, a, b), or(a, b)],
    ['a single part is unwrapped', and(or(a)), a],
    ['an and in an and is flattened', and(a, and(b, c)), and(a, b, c)],
    ['an or in an or is flattened', or(or(a, b), c), or(a, b, c)],
    ['an and in an or stays', or(and(a, b), c), or(and(a, b), c)],
    ['a part that becomes an and by unwrapping is flattened', and(a, or(and(b, c))), and(a, b, c)],
    ['the inner plan of a semi-join is rewritten', semiJoin(and(a)), semiJoin(a)],
    [
      'the inner plan of an anti-join is rewritten',
      { kind: 'antiJoin', segment, estimate: 100, inner: semiJoin(or(a)) },
      { kind: 'antiJoin', segment, estimate: 100, inner: semiJoin(a) },
    ],
    ['the parts of an and run in ascending order of their estimates', and(c, a, b), and(a, b, c)],
    ['a scope of all rows is dropped', and(a, visible(100)), a],
    ['a smaller scope stays', and(a, visible(99)), and(a, visible(99))],
    ['scopes of all rows alone select everything', and(visible(100), visible(100)), everything],
  ])('%s', (_, plan, expected) => {
    expect(rewritten(plan)).toEqual(expected);
  });

  test('a plan that no rewrite applies to is not copied', () => {
    const plan = and(a, semiJoin(or(b, c)));
    const applied: string[] = [];
    expect(rewritten({ ...plan, parts: [a, b] } as Plan, applied)).toMatchObject({ parts: [a, b] });
    expect(applied).toEqual([]);
    const joined = semiJoin(or(b, c));
    expect(rewritten(joined)).toBe(joined);
  });

  test('the names of rewrites that changed a plan are given once, in the order in which they did', () => {
    const applied: string[] = [];
    rewritten(and(a, or(and(b, and(c))), or(nothing, a)), applied);
    expect(applied).toEqual(['unwrap a single part', 'fold constants', 'flatten nested and, or', 'fewest rows first']);
  });
});
