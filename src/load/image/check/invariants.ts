/** What the values of one array have to be. Each function takes a time linear in the array, and throws nothing. */
import { wordCount } from '../../../core/sets/bit-set.ts';

/** What is wrong with an array: its first wrong item, and what was expected. Null if nothing is. */
export type Finding = string | null;

/** The invariants of the arrays of a structure, in the order in which they are checked: later ones rely on earlier ones. */
export type Rules<Structure> = readonly (readonly [array: string, find: (structure: Structure) => Finding])[];

/** Throws an Error that names the first array that breaks a rule. The names of the rules follow `name`. */
export function check<Structure>(name: string, rules: Rules<Structure>, structure: Structure): void {
  for (const [array, find] of rules) {
    const finding = find(structure);
    if (finding !== null) throw new Error(`array ${name}/${array}: ${finding}`);
  }
}

type Numbers = Uint8Array | Uint16Array | Uint32Array;

export function wrongItem(i: number, value: unknown, expected: string): string {
  return `item ${i} is ${value}, expected ${expected}`;
}

export function hasLength({ length }: { readonly length: number }, expected: number): Finding {
  return length === expected ? null : `${length} items, expected ${expected}`;
}

export function isBelow(numbers: Numbers, limit: number): Finding {
  for (let i = 0; i < numbers.length; i++) {
    if (numbers[i] >= limit) return wrongItem(i, numbers[i], limit > 0 ? `less than ${limit}` : 'no items');
  }
  return null;
}

/** The first item is `first`, each following one is greater by `step` or more, and the last one is `last`. */
export function rises(offsets: Uint32Array, first: number, last: number, step = 0): Finding {
  if (offsets.length === 0) return 'no items';
  if (offsets[0] !== first) return wrongItem(0, offsets[0], String(first));
  for (let i = 1; i < offsets.length; i++) {
    const least = offsets[i - 1] + step;
    if (offsets[i] < least || offsets[i] > last) return wrongItem(i, offsets[i], `${least} to ${last}`);
  }
  const end = offsets.length - 1;
  return offsets[end] === last ? null : wrongItem(end, offsets[end], String(last));
}

/** Each item is greater than the one before it. NaN is not. */
export function ascends(values: Numbers | Float64Array | BigInt64Array): Finding {
  if (Number.isNaN(values[0])) return wrongItem(0, values[0], 'a number');
  for (let i = 1; i < values.length; i++) {
    if (!(values[i] > values[i - 1])) return wrongItem(i, values[i], `more than ${values[i - 1]}`);
  }
  return null;
}

export function isWithin(values: Float64Array, least: number, most: number): Finding {
  // the values ascend
  for (const i of values.length === 0 ? [] : [0, values.length - 1]) {
    if (values[i] < least || values[i] > most) return wrongItem(i, values[i], `${least} to ${most}`);
  }
  return null;
}

export function equals(numbers: Numbers, expected: Numbers): Finding {
  if (numbers.length !== expected.length) return hasLength(numbers, expected.length);
  for (let i = 0; i < expected.length; i++) {
    if (numbers[i] !== expected[i]) return wrongItem(i, numbers[i], String(expected[i]));
  }
  return null;
}

/** The words of one or more sets of numbers below `size`, one set after the other. */
export function areSetsBelow(words: Uint32Array, size: number): Finding {
  const count = wordCount(size);
  const unused = size & 31 ? ~((1 << (size & 31)) - 1) : 0;
  for (let i = count - 1; unused !== 0 && i < words.length; i += count) {
    if (words[i] & unused) return wrongItem(i, words[i], `no bits of ${size} and more`);
  }
  return null;
}

/** Each number below the length once. */
export function isPermutation(numbers: Uint32Array): Finding {
  const seen = new Uint8Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) {
    if (seen[numbers[i]] !== 0)
      return wrongItem(i, numbers[i], `a number below ${numbers.length} that is not repeated`);
    seen[numbers[i]] = 1;
  }
  return null;
}
