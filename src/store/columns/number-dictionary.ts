import type { CostBudget } from '../../core/cost-budget.ts';
import { BitSet } from '../../core/sets/bit-set.ts';
import type { CodeSet } from '../../core/sets/code-set.ts';
import { firstWhere } from '../../core/sets/row-set.ts';
import { maxSearchTextBytes, otherTextCost, type SearchText } from '../../model/schema/compared-texts.ts';
import {
  type CaseRule,
  type MatchMode,
  matchesPattern,
  needleFor,
  patternFor,
  separator,
  unchanged,
} from '../texts/pattern.ts';
import type { SearchKey, SortedValues } from './sorted-values.ts';

/** Values in an ascending array. */
abstract class SortedArray<Value extends number | bigint> implements SortedValues {
  abstract readonly values: Float64Array | BigInt64Array;

  get size(): number {
    return this.values.length;
  }

  find(operand: SearchKey): number {
    const low = this.lowerBound(operand);
    return this.values[low] === operand ? low : -1;
  }

  lowerBound(operand: SearchKey): number {
    return firstWhere(this.values.length, (i) => this.values[i] >= (operand as Value));
  }

  upperBound(operand: SearchKey): number {
    return firstWhere(this.values.length, (i) => this.values[i] > (operand as Value));
  }
}

/** Numbers, and everything that is compared as a number: booleans, dates and times. */
export class NumberDictionary extends SortedArray<number> {
  readonly kind = 'number';
  readonly values: Float64Array;
  /** The texts that a search looks into. */
  readonly texts: SearchText;
  /** Cost of searching all texts. */
  readonly searchCost: number;

  constructor(values: Float64Array, texts: SearchText, searchCost: number) {
    super();
    this.values = values;
    this.texts = texts;
    this.searchCost = searchCost;
  }

  static of(values: Float64Array, texts: SearchText): NumberDictionary {
    return new NumberDictionary(
      values,
      texts,
      values.reduce((sum, value) => sum + texts.cost(value), 0),
    );
  }

  /** The codes of the values whose text matches `needle`. */
  search(needle: string, mode: MatchMode, rule: CaseRule, budget: CostBudget): CodeSet {
    const { texts, values, size } = this;
    const isOther = rule === 'ascii' || rule === 'mysql';
    const write = rule === 'ascii' ? texts.writeSqlite : rule === 'mysql' ? texts.writeMysql : texts.write;
    const writeValue = (i: number, bytes: Buffer, at: number) => write(values[i], bytes, at);
    const cost = isOther ? size * otherTextCost : this.searchCost;
    return searchTexts({ size, write: writeValue, cost }, needle, mode, rule, budget);
  }
}

/** 64-bit integers, compared exactly. */
export class BigIntegerDictionary extends SortedArray<bigint> {
  readonly kind = 'bigint';
  readonly values: BigInt64Array;

  constructor(values: BigInt64Array) {
    super();
    this.values = values;
  }

  /** The codes of the values whose text matches `needle`. */
  search(needle: string, mode: MatchMode, rule: CaseRule, budget: CostBudget): CodeSet {
    const write = (i: number, bytes: Buffer, at: number) => at + bytes.write(String(this.values[i]), at, 'latin1');
    return searchTexts({ size: this.size, write, cost: this.size * bigIntegerCost }, needle, mode, rule, budget);
  }
}

/** Cost of writing a 64-bit integer and searching its text. */
const bigIntegerCost = 110;

/** The characters in the text of a number, date or boolean; `_` is the wildcard. Most words have others. */
const searchableText = /^[-+.: 0-9etrufals_]*$/;

/** Texts that are written when they are searched. */
interface WrittenTexts {
  readonly size: number;
  /** Writes a text into `bytes` from `at` on, and returns where it ends. */
  readonly write: (i: number, bytes: Buffer, at: number) => number;
  /** Cost of writing and searching all of them. */
  readonly cost: number;
}

/** Writes and searches one text after the other. They have no upper case, so that only the needle is folded. */
function searchTexts(
  { size, write, cost }: WrittenTexts,
  needle: string,
  mode: MatchMode,
  rule: CaseRule,
  budget: CostBudget,
): CodeSet {
  const found = new BitSet(size + 1);
  const wanted = needleFor(needle, rule === 'mysql' ? 'ascii' : rule);
  if (!searchableText.test(wanted)) return { kind: 'bits', codes: found };
  budget.charge(cost);
  const pattern = patternFor(wanted, mode);
  const bytes = Buffer.alloc(maxSearchTextBytes + 2, separator);
  for (let i = 0; i < size; i++) {
    const end = write(i, bytes, 1);
    bytes[end] = separator;
    if (matchesPattern(bytes, 1, end, unchanged, pattern, mode)) found.add(i + 1);
  }
  return { kind: 'bits', codes: found };
}
