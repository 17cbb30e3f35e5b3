import type { CostBudget } from '../base/cost-budget.ts';
import { foldCase } from '../model/case-folding.ts';
import { maxSearchTextBytes, type SearchText } from '../model/search-text.ts';
import type { Comparable } from '../model/value-types.ts';
import { firstWhere } from '../sets/binary-search.ts';
import { BitSet } from '../sets/bit-set.ts';
import type { CodeSet } from '../sets/code-set.ts';
import type { SortedValues } from './sorted-values.ts';
import { type Anchor, anchoredPattern, containsAnchored, separator, unchanged } from './text/pattern.ts';

/** Numbers, and everything that is compared as a number: booleans, dates and times. */
export class NumberDictionary implements SortedValues {
  readonly kind = 'number';
  readonly values: Float64Array;
  /** Cost of searching all texts. */
  readonly searchCost: number;
  readonly #texts: SearchText;

  /** `texts` are the texts that a search looks into. */
  constructor(values: Float64Array, texts: SearchText, searchCost: number) {
    this.values = values;
    this.#texts = texts;
    this.searchCost = searchCost;
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

  /** The codes of the values whose text contains `needle` at the anchor; `folded` ignores case. */
  search(needle: string, anchor: Anchor, folded: boolean, budget: CostBudget): CodeSet {
    const texts = this.#texts;
    const write = (i: number, bytes: Buffer, at: number) => texts.write(this.values[i], bytes, at);
    return searchTexts(this.size, write, this.searchCost, needle, anchor, folded, budget);
  }
}

/** 64-bit integers, compared exactly. */
export class BigIntegerDictionary implements SortedValues {
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

  /** The codes of the values whose text contains `needle` at the anchor; `folded` ignores case. */
  search(needle: string, anchor: Anchor, folded: boolean, budget: CostBudget): CodeSet {
    const write = (i: number, bytes: Buffer, at: number) => at + bytes.write(String(this.values[i]), at, 'latin1');
    return searchTexts(this.size, write, this.size * bigIntegerCost, needle, anchor, folded, budget);
  }
}

/** Cost of writing a 64-bit integer and searching its text. */
const bigIntegerCost = 110;

/** The characters in the text of a number, date or boolean; `_` is the wildcard. Most words have others. */
const searchableText = /^[-+.: 0-9etrufals_]*$/;

/** Writes and searches one text after the other. They have no upper case, so that only the needle is folded. */
function searchTexts(
  size: number,
  write: (i: number, bytes: Buffer, at: number) => number,
  cost: number,
  needle: string,
  anchor: Anchor,
  folded: boolean,
  budget: CostBudget,
): CodeSet {
  const found = new BitSet(size + 1);
  const wanted = folded ? foldCase(needle) : needle;
  if (!searchableText.test(wanted)) return { kind: 'bits', codes: found };
  budget.charge(cost);
  const pattern = anchoredPattern(wanted, anchor);
  const bytes = Buffer.alloc(maxSearchTextBytes + 2, separator);
  for (let i = 0; i < size; i++) {
    const end = write(i, bytes, 1);
    bytes[end] = separator;
    if (containsAnchored(bytes, 1, end, unchanged, pattern, anchor)) found.add(i + 1);
  }
  return { kind: 'bits', codes: found };
}
