import type { Comparable } from '../schema/values.ts';
import { BitSet } from '../sets/bit-set.ts';
import { type Anchor, type Dictionary, firstWhere } from './dictionary.ts';

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
