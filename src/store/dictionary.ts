/**
 * The distinct values of a column in ascending order. Value number i (from 0) has the code i + 1; code 0 is null.
 * So comparing two values of a column is comparing their codes, and a range of values is a range of codes.
 */
import type { Comparable } from '../schema/values.ts';
import { BitSet } from '../sets/bit-set.ts';
import { TextDictionary } from './text-dictionary.ts';

export interface Dictionary {
  readonly kind: 'text' | 'number' | 'bigint' | 'presence';
  /** How many distinct values there are. */
  readonly size: number;
  /** How many values are less than `operand`. */
  lowerBound(operand: Comparable): number;
  /** How many values are less than `operand` or equal to it. */
  upperBound(operand: Comparable): number;
  /** The codes of the values whose text holds `needle` at the anchored place; folded: whatever the case of either. */
  search(needle: string, anchor: Anchor, folded: boolean): BitSet;
}

/** Which place in a text a search looks at. */
export type Anchor = 'anywhere' | 'start' | 'end' | 'whole';

/** Searches the decimal texts of numbers. They have no case: a folded needle is all that it takes. */
function searchDigits(values: ArrayLike<number | bigint>, needle: string, anchor: Anchor): BitSet {
  const found = new BitSet(values.length + 1);
  for (let i = 0; i < values.length; i++) {
    const text = String(values[i]);
    const at = anchor === 'end' ? Math.max(text.length - needle.length, 0) : 0;
    const position = text.indexOf(needle, at);
    const starts = anchor === 'anywhere' ? position >= 0 : position === at;
    if (starts && (anchor !== 'whole' || text.length === needle.length)) found.add(i + 1);
  }
  return found;
}

/** Numbers, and all that is compared as one: booleans, dates, times. */
export class NumberDictionary implements Dictionary {
  readonly kind = 'number';
  readonly values: Float64Array;

  constructor(values: Float64Array) {
    this.values = values;
  }

  get size(): number {
    return this.values.length;
  }

  lowerBound(operand: Comparable): number {
    return firstWhere(this.values.length, (i) => this.values[i] >= (operand as number));
  }

  upperBound(operand: Comparable): number {
    return firstWhere(this.values.length, (i) => this.values[i] > (operand as number));
  }

  search(needle: string, anchor: Anchor): BitSet {
    return searchDigits(this.values, needle, anchor);
  }
}

/** 64-bit integers, compared exactly. */
export class BigIntegerDictionary implements Dictionary {
  readonly kind = 'bigint';
  readonly values: BigInt64Array;

  constructor(values: BigInt64Array) {
    this.values = values;
  }

  get size(): number {
    return this.values.length;
  }

  lowerBound(operand: Comparable): number {
    return firstWhere(this.values.length, (i) => this.values[i] >= (operand as bigint));
  }

  upperBound(operand: Comparable): number {
    return firstWhere(this.values.length, (i) => this.values[i] > (operand as bigint));
  }

  search(needle: string, anchor: Anchor): BitSet {
    return searchDigits(this.values, needle, anchor);
  }
}

/** JSON and blocks: all values count as one, different only from null. */
export class PresenceDictionary implements Dictionary {
  readonly kind = 'presence';
  readonly size = 1;

  lowerBound(): number {
    return 0;
  }

  upperBound(): number {
    return 1;
  }

  search(): never {
    throw new Error('JSON is not searched: refuse the operator when the query is bound');
  }
}

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

/** A dictionary of distinct values of one kind, and for each of them, as they were given, its code. */
export function buildDictionary(
  kind: Dictionary['kind'],
  distinct: Comparable[],
): { dictionary: Dictionary; codes: Uint32Array } {
  const codes = new Uint32Array(distinct.length);
  if (kind === 'presence') return { dictionary: new PresenceDictionary(), codes: codes.fill(1) };
  const order = Uint32Array.from(distinct.keys());
  if (kind === 'text') {
    const texts = distinct as string[];
    // without surrogates the order of UTF-16 units is that of code points
    const plain = !texts.some((text) => /[\ud800-\udfff]/.test(text));
    order.sort(
      plain
        ? (a, b) => (texts[a] < texts[b] ? -1 : 1)
        : (a, b) => Buffer.compare(Buffer.from(texts[a]), Buffer.from(texts[b])),
    );
  } else {
    const numbers = distinct as number[];
    order.sort((a, b) => (numbers[a] < numbers[b] ? -1 : 1));
  }
  for (let i = 0; i < order.length; i++) codes[order[i]] = i + 1;
  const sorted = Array.from(order, (i) => distinct[i]);
  if (kind === 'text') return { dictionary: TextDictionary.of(sorted as string[]), codes };
  if (kind === 'bigint') return { dictionary: new BigIntegerDictionary(BigInt64Array.from(sorted as bigint[])), codes };
  return { dictionary: new NumberDictionary(Float64Array.from(sorted as number[])), codes };
}
