import type { SortedValues } from './sorted-values.ts';

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
