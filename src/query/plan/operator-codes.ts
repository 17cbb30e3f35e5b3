/** The meaning of each comparison: the codes of a column for which it is true. Only isNull is true of null (code 0). */
import type { CostBudget } from '../../core/cost-budget.ts';
import { type CodeSet, codesBetween, codesOf, complement, noCodes, oneCode } from '../../core/sets/code-set.ts';
import type { Dictionary } from '../../store/columns/dictionary.ts';
import type { CaseRule, MatchMode } from '../../store/texts/pattern.ts';
import type { Operand, ValueCondition } from '../bound.ts';
import type { Comparison } from '../operators.ts';

type Value = Exclude<Operand, null>;

/** Converts an operand to the form that the dictionary compares. Operands of bigintegers are text. */
function comparable(dictionary: Dictionary, value: Value): string | number | bigint {
  return dictionary.kind === 'bigint' ? BigInt(value) : value;
}

/** Codes of the values from number `first` up to, not including, number `end`; value i has the code i + 1. */
function valuesBetween(first: number, end: number): CodeSet {
  return codesBetween(first + 1, end + 1);
}

const countBelow = (dictionary: Dictionary, value: Value) => dictionary.lowerBound(comparable(dictionary, value));
const countUpTo = (dictionary: Dictionary, value: Value) => dictionary.upperBound(comparable(dictionary, value));

/** The code of a value; 0 if no row has the value. */
function codeOf(dictionary: Dictionary, value: Value): number {
  return dictionary.find(comparable(dictionary, value)) + 1;
}

type Meaning = (dictionary: Dictionary, operands: readonly Value[], budget: CostBudget) => CodeSet;

function search(mode: MatchMode, rule: CaseRule): Meaning {
  return (dictionary, [needle], budget) => {
    // the planner compares JSON by its column of texts
    if (dictionary.kind === 'presence') throw new Error('a column of presence has no text');
    return dictionary.search(String(needle), mode, rule, budget);
  };
}

/** The comparisons that search each text. */
const searches = {
  contains: search('anywhere', 'exact'),
  containsFolded: search('anywhere', 'folded'),
  startsWithFolded: search('start', 'folded'),
  endsWith: search('end', 'exact'),
  endsWithFolded: search('end', 'folded'),
  equalFolded: search('whole', 'folded'),
  matchesFolded: search('wildcard', 'folded'),
  sqliteEquals: search('whole', 'ascii'),
  sqliteContains: search('anywhere', 'ascii'),
  sqliteStartsWith: search('start', 'ascii'),
  sqliteEndsWith: search('end', 'ascii'),
  sqliteMatches: search('wildcard', 'ascii'),
  // the blanks at its end do not count
  mysqlEquals: (dictionary, [text], budget) =>
    search('whole', 'mysql')(dictionary, [String(text).replace(/ +$/, '')], budget),
  mysqlContains: search('anywhere', 'mysql'),
  mysqlStartsWith: search('start', 'mysql'),
  mysqlEndsWith: search('end', 'mysql'),
  mysqlMatches: search('wildcard', 'mysql'),
} satisfies Partial<Record<Comparison, Meaning>>;

/** Returns whether a comparison with text searches it, so that a trigram index speeds it up. */
export function isSearch(comparison: Comparison): boolean {
  return comparison in searches;
}

const meanings: Record<Comparison, Meaning> = {
  ...searches,
  equal: (dictionary, [value]) => {
    const code = codeOf(dictionary, value);
    return code === 0 ? noCodes : oneCode(code);
  },
  less: (dictionary, [value]) => valuesBetween(0, countBelow(dictionary, value)),
  lessOrEqual: (dictionary, [value]) => valuesBetween(0, countUpTo(dictionary, value)),
  greater: (dictionary, [value]) => valuesBetween(countUpTo(dictionary, value), dictionary.size),
  greaterOrEqual: (dictionary, [value]) => valuesBetween(countBelow(dictionary, value), dictionary.size),
  between: (dictionary, [low, high]) => valuesBetween(countBelow(dictionary, low), countUpTo(dictionary, high)),
  oneOf: (dictionary, values) => codesOf(values.map((value) => codeOf(dictionary, value)).filter((code) => code > 0)),
  startsWith: (dictionary, operands, budget) =>
    dictionary.kind === 'text'
      ? valuesBetween(...dictionary.prefixBounds(String(operands[0])))
      : search('start', 'exact')(dictionary, operands, budget),
  isNull: () => oneCode(0),
};

/**
 * Returns the codes for which a comparison, or its negation, is true. Comparing with a null operand is unknown: no
 * code.
 */
export function codesFor(
  dictionary: Dictionary,
  { comparison, operands, negated }: ValueCondition,
  budget: CostBudget,
): CodeSet {
  const values = operands.filter((operand) => operand !== null);
  // one null among several operands: "one of" is true for the others, "none of" is unknown for every value
  if (values.length < operands.length && (negated || comparison !== 'oneOf')) return noCodes;
  const codes = meanings[comparison](dictionary, values, budget);
  if (!negated) return codes;
  return comparison === 'isNull' ? valuesBetween(0, dictionary.size) : complement(codes, dictionary.size);
}
