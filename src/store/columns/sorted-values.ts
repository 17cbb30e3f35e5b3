import type { Comparable } from '../../model/schema/value-types.ts';

/** A value to look up. A text may also be given as UTF-8. */
export type SearchKey = Comparable | Uint8Array;

/** What all dictionaries have in common: lookups by binary search. */
export interface SortedValues {
  /** How many distinct values there are. */
  readonly size: number;
  /** The number of the value that equals `operand`, or -1. */
  find(operand: SearchKey): number;
  /** How many values are less than `operand`. */
  lowerBound(operand: SearchKey): number;
  /** How many values are less than or equal to `operand`. */
  upperBound(operand: SearchKey): number;
}
