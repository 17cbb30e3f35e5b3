/**
 * The distinct values of a column in ascending order. Value number i (from 0) has the code i + 1; code 0 is null.
 * So comparing two values of a column is comparing their codes, and a range of values is a range of codes.
 */

import type { CostBudget } from '../base/cost-budget.ts';
import type { Comparable } from '../model/value-types.ts';
import type { RowSet } from '../sets/row-set.ts';

/** A set of codes, in the two forms that sets of rows have. */
export type Codes = RowSet;

export interface Dictionary {
  readonly kind: 'text' | 'number' | 'bigint' | 'presence';
  /** How many distinct values there are. */
  readonly size: number;
  /** The number of the value that is `operand`, or -1. */
  find(operand: Comparable): number;
  /** How many values are less than `operand`. */
  lowerBound(operand: Comparable): number;
  /** How many values are less than `operand` or equal to it. */
  upperBound(operand: Comparable): number;
  /** Builds what searches need, which the first of them would otherwise wait for. */
  prepare(): void;
  /** The codes of the values whose text holds `needle` at the anchored place; folded: whatever the case of either. */
  search(needle: string, anchor: Anchor, folded: boolean, work: CostBudget): Codes;
}

/** Which place in a text a search looks at. `gaps`: anywhere, and each `_` stands for any one character. */
export type Anchor = 'anywhere' | 'start' | 'end' | 'whole' | 'gaps';

/** The first of 0..length - 1 for which `test` holds (it holds for all after it too), or length. */
export function firstWhere(length: number, test: (i: number) => boolean): number {
  let low = 0;
  for (let high = length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
