/** What each test means: for a column and operands, the codes for which it is true. Null (code 0) only for isNull. */

import type { CostBudget } from '../base/cost-budget.ts';
import type { Operand, ValueCondition } from '../query/bound.ts';
import type { Comparison } from '../query/operators.ts';
import { BitSet } from '../sets/bit-set.ts';
import { type CodeRange, type CodeSet, isRanges } from '../store/column.ts';
import type { Anchor, Dictionary } from '../store/dictionary.ts';
import { TextDictionary } from '../store/text/text-dictionary.ts';

type Value = Exclude<Operand, null>;

/** In the form that the dictionary compares: bigintegers come as text. */
function comparable(dictionary: Dictionary, value: Value): string | number | bigint {
  return dictionary.kind === 'bigint' ? BigInt(value) : value;
}

/** Codes of the values from number `first` up to, not including, number `end`; value i has the code i + 1. */
function valuesBetween(first: number, end: number): CodeRange[] {
  return first < end ? [{ low: first + 1, high: end + 1 }] : [];
}

const less = (dictionary: Dictionary, value: Value) => dictionary.lowerBound(comparable(dictionary, value));
const lessOrEqual = (dictionary: Dictionary, value: Value) => dictionary.upperBound(comparable(dictionary, value));

/** The code of a value; none if the dictionary has it not. */
function valueAt(dictionary: Dictionary, value: Value): CodeRange[] {
  const found = dictionary.find(comparable(dictionary, value));
  return found < 0 ? [] : valuesBetween(found, found + 1);
}

const search =
  (anchor: Anchor, folded: boolean) =>
  (dictionary: Dictionary, [needle]: readonly Value[], work: CostBudget): CodeSet =>
    dictionary.search(String(needle), anchor, folded, work);

const meanings: Record<Comparison, (dictionary: Dictionary, operands: readonly Value[], work: CostBudget) => CodeSet> =
  {
    equal: (dictionary, [value]) => valueAt(dictionary, value),
    less: (dictionary, [value]) => valuesBetween(0, less(dictionary, value)),
    lessOrEqual: (dictionary, [value]) => valuesBetween(0, lessOrEqual(dictionary, value)),
    greater: (dictionary, [value]) => valuesBetween(lessOrEqual(dictionary, value), dictionary.size),
    greaterOrEqual: (dictionary, [value]) => valuesBetween(less(dictionary, value), dictionary.size),
    between: (dictionary, [low, high]) => valuesBetween(less(dictionary, low), lessOrEqual(dictionary, high)),
    oneOf: (dictionary, values) => {
      const found = new Set(values.flatMap((value) => valueAt(dictionary, value).map(({ low }) => low)));
      return [...found].sort((a, b) => a - b).map((code) => ({ low: code, high: code + 1 }));
    },
    contains: search('anywhere', false),
    containsFolded: search('anywhere', true),
    startsWith: (dictionary, operands, work) =>
      dictionary instanceof TextDictionary
        ? valuesBetween(...dictionary.prefixBounds(String(operands[0])))
        : search('start', false)(dictionary, operands, work),
    startsWithFolded: search('start', true),
    endsWith: search('end', false),
    endsWithFolded: search('end', true),
    equalFolded: search('whole', true),
    matchesFolded: search('gaps', true),
    isNull: () => [{ low: 0, high: 1 }],
  };

/** The codes for which a test, or its negation, is true. A null operand compares as unknown: no code. */
export function codesFor(
  dictionary: Dictionary,
  { comparison: test, operands, negated }: ValueCondition,
  work: CostBudget,
): CodeSet {
  const values = operands.filter((operand) => operand !== null);
  // one null among several leaves "one of" open for the others, and "none of" open for all
  if (values.length < operands.length && (negated || test !== 'oneOf')) return [];
  const codes = meanings[test](dictionary, values, work);
  if (!negated) return codes;
  return test === 'isNull' ? valuesBetween(0, dictionary.size) : complement(codes, dictionary.size);
}

/** The other codes of values; null is in neither. */
function complement(codes: CodeSet, size: number): CodeSet {
  if (!isRanges(codes)) {
    const others = BitSet.full(size + 1);
    others.delete(0);
    if (codes instanceof BitSet) for (let i = 0; i < others.words.length; i++) others.words[i] &= ~codes.words[i];
    else for (const code of codes) others.delete(code);
    return others;
  }
  const others: CodeRange[] = [];
  let low = 1;
  for (const range of codes) {
    if (low < range.low) others.push({ low, high: range.low });
    low = range.high;
  }
  if (low < size + 1) others.push({ low, high: size + 1 });
  return others;
}
