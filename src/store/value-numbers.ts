import { deltaRowOf } from './overlay/delta.ts';
import type { Segment } from './segment.ts';

/** Numbers for the values of an attribute of a segment. Null is 0. */
export interface ValueNumbers {
  /** One more than the greatest number. */
  readonly size: number;
  numberOf(row: number): number;
  /** Ascends with the values. */
  placeOf(number: number): number;
}

/** Numbers the values of the collection by their codes, and those that only the delta has after them. */
export function valueNumbers({ collection, delta }: Segment, name: string): ValueNumbers {
  const { codes, dictionary } = collection.columns.get(name)!;
  const size = dictionary.size + 1;
  const changed = delta?.columns.get(name);
  if (!delta || !changed) return { size, numberOf: (row) => codes[row], placeOf: (number) => number };
  const { baseCodes } = changed;
  const { stored, own } = changed.places(dictionary.size);
  return {
    size: size + baseCodes.length,
    numberOf(row) {
      if (row < collection.rowCount && !delta.replaced.has(row)) return codes[row];
      const code = changed.codes[deltaRowOf(delta, row)];
      return baseCodes[code] >= 0 ? baseCodes[code] : size + code;
    },
    placeOf: (number) => (number < size ? stored(number) : own[number - size]),
  };
}
