import { fold } from '../schema/fold.ts';
import { longestSearchText, type SearchText, writeNumber } from '../schema/search-text.ts';
import type { Comparable } from '../schema/values.ts';
import { BitSet } from '../sets/bit-set.ts';
import { type Anchor, type Dictionary, firstWhere } from './dictionary.ts';
import { anchored, asItIs, holds, holdsWithGaps, separator } from './pattern.ts';
import type { Work } from './work.ts';

/** Numbers, and all that is compared as one: booleans, dates, times. */
export class NumberDictionary implements Dictionary {
  readonly kind = 'number';
  readonly values: Float64Array;
  readonly #write: SearchText;

  /** `write` gives the text of a value that a search looks into. */
  constructor(values: Float64Array, write: SearchText = writeNumber) {
    this.values = values;
    this.#write = write;
  }

  get size(): number {
    return this.values.length;
  }

  find(operand: Comparable): number {
    const low = this.lowerBound(operand);
    return this.values[low] === operand ? low : -1;
  }

  lowerBound(operand: Comparable): number {
    return firstWhere(this.values.length, (i) => this.values[i] >= (operand as number));
  }

  upperBound(operand: Comparable): number {
    return firstWhere(this.values.length, (i) => this.values[i] > (operand as number));
  }

  prepare(): void {}

  search(needle: string, anchor: Anchor, folded: boolean, work: Work): BitSet {
    const write = this.#write;
    return searchTexts(this.size, (i, bytes, at) => write(this.values[i], bytes, at), needle, anchor, folded, work);
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

  find(operand: Comparable): number {
    const low = this.lowerBound(operand);
    return this.values[low] === operand ? low : -1;
  }

  lowerBound(operand: Comparable): number {
    return firstWhere(this.values.length, (i) => this.values[i] >= (operand as bigint));
  }

  upperBound(operand: Comparable): number {
    return firstWhere(this.values.length, (i) => this.values[i] > (operand as bigint));
  }

  prepare(): void {}

  search(needle: string, anchor: Anchor, folded: boolean, work: Work): BitSet {
    const write = (i: number, bytes: Buffer, at: number) => at + bytes.write(String(this.values[i]), at, 'latin1');
    return searchTexts(this.size, write, needle, anchor, folded, work);
  }
}

/** JSON and blocks: all values count as one, different only from null. */
export class PresenceDictionary implements Dictionary {
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

  prepare(): void {}

  search(): never {
    throw new Error('JSON is not searched: refuse the operator when the query is bound');
  }
}

/** To write one text and look it through. */
const stepsOfText = 40;

/** What a text of a number, a date or a boolean may consist of; `_`: of a gap. Most words are found in none. */
const searchableText = /^[-+.: 0-9etrufals_]*$/;

/** Searches texts that are written one by one. They hold no upper case, so only the needle is folded. */
function searchTexts(
  size: number,
  write: (i: number, bytes: Buffer, at: number) => number,
  needle: string,
  anchor: Anchor,
  folded: boolean,
  work: Work,
): BitSet {
  const found = new BitSet(size + 1);
  const wanted = folded ? fold(needle) : needle;
  if (!searchableText.test(wanted)) return found;
  work.spend(size * stepsOfText);
  const pattern = anchored(wanted, anchor);
  const bytes = Buffer.alloc(longestSearchText + 2, separator);
  for (let i = 0; i < size; i++) {
    const end = write(i, bytes, 1);
    bytes[end] = separator;
    const isHeld =
      anchor === 'gaps' ? holdsWithGaps(bytes, 1, end, asItIs, pattern) : holds(bytes, 0, end + 1, asItIs, pattern);
    if (isHeld) found.add(i + 1);
  }
  return found;
}
