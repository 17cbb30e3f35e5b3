import type { CostBudget } from '../base/cost-budget.ts';
import { foldCase } from '../model/case-folding.ts';
import { longestSearchText, numberText, type SearchText } from '../model/search-text.ts';
import type { Comparable } from '../model/value-types.ts';
import { BitSet } from '../sets/bit-set.ts';
import { type Anchor, type Dictionary, firstWhere } from './dictionary.ts';
import { anchored, asItIs, holds, holdsWithGaps, separator } from './text/pattern.ts';

/** Numbers, and all that is compared as one: booleans, dates, times. */
export class NumberDictionary implements Dictionary {
  readonly kind = 'number';
  readonly values: Float64Array;
  readonly #texts: SearchText;
  #searchSteps: number | null = null;

  /** `texts` are those that a search looks into. */
  constructor(values: Float64Array, texts: SearchText = numberText) {
    this.values = values;
    this.#texts = texts;
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

  search(needle: string, anchor: Anchor, folded: boolean, work: CostBudget): BitSet {
    const texts = this.#texts;
    const write = (i: number, bytes: Buffer, at: number) => texts.write(this.values[i], bytes, at);
    return searchTexts(this.size, write, () => this.#stepsOfSearch(), needle, anchor, folded, work);
  }

  #stepsOfSearch(): number {
    this.#searchSteps ??= this.values.reduce((sum, value) => sum + this.#texts.steps(value), 0);
    return this.#searchSteps;
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

  search(needle: string, anchor: Anchor, folded: boolean, work: CostBudget): BitSet {
    const write = (i: number, bytes: Buffer, at: number) => at + bytes.write(String(this.values[i]), at, 'latin1');
    return searchTexts(this.size, write, () => this.size * stepsOfBigInteger, needle, anchor, folded, work);
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

/** To write a 64-bit integer and look its text through. */
const stepsOfBigInteger = 110;

/** What a text of a number, a date or a boolean may consist of; `_`: of a gap. Most words are found in none. */
const searchableText = /^[-+.: 0-9etrufals_]*$/;

/** Searches texts that are written one by one. They hold no upper case, so only the needle is folded. */
function searchTexts(
  size: number,
  write: (i: number, bytes: Buffer, at: number) => number,
  steps: () => number,
  needle: string,
  anchor: Anchor,
  folded: boolean,
  work: CostBudget,
): BitSet {
  const found = new BitSet(size + 1);
  const wanted = folded ? foldCase(needle) : needle;
  if (!searchableText.test(wanted)) return found;
  work.charge(steps());
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
