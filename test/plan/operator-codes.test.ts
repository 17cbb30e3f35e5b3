import { describe, expect, test } from 'vitest';
import { CostBudget } from '../../src/core/cost-budget.ts';
import { codePredicate } from '../../src/core/sets/code-set.ts';
import type { Operand } from '../../src/query/bound.ts';
import type { Comparison } from '../../src/query/operators.ts';
import { codesFor } from '../../src/query/plan/operator-codes.ts';
import type { Column } from '../../src/store/columns/column.ts';
import { columnOf } from './segments.ts';

function codesOfColumn(
  { dictionary }: Column,
  comparison: Comparison,
  operands: readonly Operand[],
  negated: boolean,
): number[] {
  const condition = { kind: 'value', attribute: 'x', comparison, operands, negated } as const;
  const set = codesFor(dictionary, condition, new CostBudget(Number.POSITIVE_INFINITY));
  return Array.from({ length: dictionary.size + 1 }, (_, code) => code).filter(codePredicate(set, dictionary.size));
}

describe('codes of numbers', () => {
  // codes 1, 2, 3
  const column = columnOf('integer', [10, 20, 30, undefined]);

  test.each<[Comparison, Operand[], number[], number[]]>([
    ['equal', [20], [2], [1, 3]],
    ['equal', [15], [], [1, 2, 3]],
    ['less', [20], [1], [2, 3]],
    ['lessOrEqual', [20], [1, 2], [3]],
    ['greater', [20], [3], [1, 2]],
    ['greaterOrEqual', [20], [2, 3], [1]],
    ['between', [15, 30], [2, 3], [1]],
    ['between', [30, 15], [], [1, 2, 3]],
    ['oneOf', [30, 10, 99], [1, 3], [2]],
    ['oneOf', [], [], [1, 2, 3]],
    ['contains', ['0'], [1, 2, 3], []],
    ['startsWith', ['2'], [2], [1, 3]],
    ['endsWith', ['20'], [2], [1, 3]],
    ['isNull', [], [0], [1, 2, 3]],
    // comparing with null is unknown, so is its negation
    ['equal', [null], [], []],
    ['between', [10, null], [], []],
    ['oneOf', [10, null], [1], []],
  ])('%s %j', (comparison, operands, codes, negated) => {
    expect(codesOfColumn(column, comparison, operands, false)).toEqual(codes);
    expect(codesOfColumn(column, comparison, operands, true)).toEqual(negated);
  });
});

describe('codes of texts', () => {
  // codes 1, 2, 3: capitals come first
  const column = columnOf('string', ['Banana', 'apple', 'cherry']);

  test.each<[Comparison, string, number[]]>([
    ['contains', 'an', [1]],
    ['contains', 'AN', []],
    ['containsFolded', 'AN', [1]],
    ['startsWith', 'b', []],
    ['startsWithFolded', 'b', [1]],
    ['endsWith', 'Y', []],
    ['endsWithFolded', 'Y', [3]],
    ['equalFolded', 'APPLE', [2]],
    ['matchesFolded', 'A__LE', [2]],
    ['less', 'apple', [1]],
  ])('%s %s', (comparison, operand, codes) => {
    expect(codesOfColumn(column, comparison, [operand], false)).toEqual(codes);
    expect(codesOfColumn(column, comparison, [operand], true)).toEqual(
      [1, 2, 3].filter((code) => !codes.includes(code)),
    );
  });
});

test('64-bit integers are compared exactly', () => {
  const { dictionary } = columnOf('biginteger', [9007199254740992n, 9007199254740993n] as never);
  const condition = { kind: 'value', attribute: 'x', comparison: 'equal', operands: ['9007199254740993'] } as const;
  const codes = codesFor(dictionary, { ...condition, negated: false }, new CostBudget(0));
  expect(codes).toEqual({ kind: 'ranges', ranges: [{ low: 2, high: 3 }] });
});
