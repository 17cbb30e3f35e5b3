import { fold } from '../schema/fold.ts';
import type { Comparable } from '../schema/values.ts';
import { BitSet } from '../sets/bit-set.ts';
import { type Anchor, type Dictionary, firstWhere } from './dictionary.ts';

/** Numbers, and all that is compared as one: booleans, dates, times. */
export class NumberDictionary implements Dictionary {
  readonly kind = 'number';
  readonly values: Float64Array;
  readonly #textOf: (value: number) => string;

  /** `textOf` gives the text of a value that a search looks into. */
  constructor(values: Float64Array, textOf: (value: number) => string = String) {
    this.values = values;
    this.#textOf = textOf;
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

  prepare(): void {}

  search(needle: string, anchor: Anchor, folded: boolean): BitSet {
    return searchTexts(this.size, (i) => this.#textOf(this.values[i]), needle, anchor, folded);
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

  prepare(): void {}

  search(needle: string, anchor: Anchor, folded: boolean): BitSet {
    return searchTexts(this.size, (i) => String(this.values[i]), needle, anchor, folded);
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

  prepare(): void {}

  search(): never {
    throw new Error('JSON is not searched: refuse the operator when the query is bound');
  }
}

/** Searches texts that are made one by one. They hold no upper case, so only the needle is folded. */
function searchTexts(
  size: number,
  textOf: (i: number) => string,
  needle: string,
  anchor: Anchor,
  folded: boolean,
): BitSet {
  const found = new BitSet(size + 1);
  const wanted = folded ? fold(needle) : needle;
  for (let i = 0; i < size; i++) {
    if (isAt(textOf(i), wanted, anchor)) found.add(i + 1);
  }
  return found;
}

function isAt(text: string, needle: string, anchor: Anchor): boolean {
  switch (anchor) {
    case 'anywhere':
      return text.includes(needle);
    case 'start':
      return text.startsWith(needle);
    case 'end':
      return text.endsWith(needle);
    case 'whole':
      return text === needle;
  }
}
