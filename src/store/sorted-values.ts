import type { Comparable } from '../model/value-types.ts';

/** What all dictionaries have in common: lookups by binary search. */
export interface SortedValues {
  /** How many distinct values there are. */
  readonly size: number;
  /** The number of the value that equals `operand`, or -1. */
  find(operand: Comparable): number;
  /** How many values are less than `operand`. */
  lowerBound(operand: Comparable): number;
  /** How many values are less than or equal to `operand`. */
  upperBound(operand: Comparable): number;
}
