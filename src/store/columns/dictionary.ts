import type { DeltaTextDictionary } from '../texts/delta-text-dictionary.ts';
import type { TextDictionary } from '../texts/text-dictionary.ts';
import type { BigIntegerDictionary, NumberDictionary } from './number-dictionary.ts';
import type { SortedValues } from './sorted-values.ts';

/**
 * The distinct values of a column in ascending order. Value number i (from 0) has the code i + 1; code 0 is null. So
 * comparing two values of a column is comparing their codes, and a range of values is a range of codes.
 */
export type Dictionary =
  | TextDictionary
  | DeltaTextDictionary
  | NumberDictionary
  | BigIntegerDictionary
  | PresenceDictionary;

/** JSON and blocks: all values count as one, different only from null. Their text is a column of its own. */
export class PresenceDictionary implements SortedValues {
  readonly kind = 'presence';
  readonly size = 1;

  find(): number {
    return 0;
  }

  lowerBound(): number {
    return 0;
  }

  upperBound(): number {
    return 1;
  }
}
