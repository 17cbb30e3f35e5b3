/** Rows that are found set by set are those that pass the test of single rows, and both are those of a plain evaluation. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toRowList } from '../../src/core/sets/row-set.ts';
import type { Condition } from '../../src/query/bound.ts';
import type { Comparison } from '../../src/query/operators.ts';
import { planQuery } from '../../src/query/plan/planner.ts';
import { rowPredicate } from '../../src/query/run/row-predicate.ts';
import { runPlan } from '../../src/query/run/run-plan.ts';
import { everyStatus, findAll, segmentsOf, viewOf } from '../plan/segments.ts';

const sizes: Record<string, number> = { article: 900, author: 120 };
const numberOf = (row: number) => (row % 11 === 0 ? undefined : (row * 7919) % 30);
const targetsOf: Record<string, (row: number) => number[]> = {
  author: (row) => (row % 9 === 0 ? [] : [(row * row) % sizes.author]),
  related: (row) => [1, 2, 3].filter((at) => (row + at) % 3 > 0).map((at) => (row * at + 5) % sizes.article),
  articles: (row) => Array.from({ length: row % 13 }, (_, at) => (row * 31 + at * 7) % sizes.article),
};
const relations: Record<string, Record<string, string>> = {
  article: { author: 'author', related: 'article' },
  author: { articles: 'article' },
};
const rowsOf = (type: string) => Array.from({ length: sizes[type] }, (_, row) => row);
const segments = segmentsOf(
  Object.fromEntries(
    Object.entries(relations).map(([type, ofType]) => [
      type,
      {
        rowCount: sizes[type],
        columns: { number: { type: 'integer' as const, values: rowsOf(type).map(numberOf) } },
        links: Object.fromEntries(
          Object.entries(ofType).map(([name, target]) => [name, { target, rows: rowsOf(type).map(targetsOf[name]) }]),
        ),
      },
    ]),
  ),
);

const comparison = fc.record({
  kind: fc.constant('value' as const),
  attribute: fc.constant('number'),
  comparison: fc.constantFrom<Comparison>('equal', 'less', 'greaterOrEqual', 'oneOf', 'isNull'),
  operands: fc.array(fc.integer({ min: -1, max: 31 }), { minLength: 1, maxLength: 4 }),
  negated: fc.boolean(),
});

function conditionOf(type: string, depth: number): fc.Arbitrary<Condition> {
  if (depth === 0) return comparison;
  const related = fc.constantFrom(...Object.keys(relations[type])).chain((attribute) =>
    conditionOf(relations[type][attribute], depth - 1).map((condition): Condition & { kind: 'related' } => ({
      kind: 'related',
      attribute,
      condition,
    })),
  );
  const conditions = fc.array(conditionOf(type, depth - 1), { minLength: 1, maxLength: 3 });
  return fc.oneof(
    comparison,
    related,
    related.map((condition): Condition => ({ kind: 'not', condition })),
    conditions.map((conditions): Condition => ({ kind: 'all', conditions })),
    conditions.map((conditions): Condition => ({ kind: 'any', conditions })),
  );
}

/** Evaluates a condition on a row; null: unknown. `undefined` is a row of nulls. */
function evaluate(condition: Condition, type: string, row: number | undefined): boolean | null {
  switch (condition.kind) {
    case 'value':
      return compare(condition, row === undefined ? undefined : numberOf(row));
    case 'related': {
      const target = relations[type][condition.attribute];
      const targets = row === undefined ? [] : targetsOf[condition.attribute](row);
      const rows = targets.length === 0 ? [undefined] : targets;
      return rows.some((each) => evaluate(condition.condition, target, each) === true);
    }
    case 'not':
      return evaluate(condition.condition, type, row) !== true;
    case 'all':
      return condition.conditions.every((each) => evaluate(each, type, row) === true);
    case 'any':
      return condition.conditions.some((each) => evaluate(each, type, row) === true);
  }
}

function compare({ comparison, operands, negated }: Condition & { kind: 'value' }, value: number | undefined) {
  if (comparison === 'isNull') return (value === undefined) !== negated;
  if (value === undefined) return null;
  const [first] = operands as number[];
  const tests: Partial<Record<Comparison, boolean>> = {
    equal: value === first,
    less: value < first,
    greaterOrEqual: value >= first,
    oneOf: operands.includes(value),
  };
  return tests[comparison] !== negated;
}

test.each([0, 1, 2, 3])('finds the rows for which a condition %i relations deep is true', (depth) => {
  fc.assert(
    fc.property(conditionOf('article', depth), (condition) => {
      const { plan } = planQuery(viewOf(segments), segments.get('article')!, everyStatus, [condition], findAll);
      const rows = rowsOf('article');
      const expected = rows.filter((row) => evaluate(condition, 'article', row) === true);
      expect([...toRowList(runPlan(plan))]).toEqual(expected);
      expect(rows.filter(rowPredicate(plan))).toEqual(expected);
    }),
    { numRuns: 150, seed: 7 },
  );
});
