import { type Comparable, compare, fold } from './values.ts';

/** SQL truth: null is unknown. */
export type Truth = boolean | null;

interface Operator {
  /** `one` takes a value (a list means "or"), `list` a list or one value, `pair` two values, `flag` a boolean. */
  takes: 'one' | 'list' | 'pair' | 'flag';
  text?: true;
  /** Of a value that is not null. */
  test(value: Comparable, operand: Comparable, second: Comparable): boolean;
}

const contains = (value: Comparable, operand: Comparable) => String(value).includes(String(operand));
const startsWith = (value: Comparable, operand: Comparable) => String(value).startsWith(String(operand));
const endsWith = (value: Comparable, operand: Comparable) => String(value).endsWith(String(operand));
const equals = (value: Comparable, operand: Comparable) => compare(value, operand) === 0;
const folded =
  (test: (value: Comparable, operand: Comparable) => boolean) =>
  (value: Comparable, operand: Comparable): boolean =>
    test(fold(String(value)), fold(String(operand)));
const not =
  (test: (value: Comparable, operand: Comparable) => boolean) =>
  (value: Comparable, operand: Comparable): boolean =>
    !test(value, operand);
const never = () => false;

export const operators: Record<string, Operator> = {
  $eq: { takes: 'one', test: equals },
  $eqi: { takes: 'one', text: true, test: folded(equals) },
  $ne: { takes: 'one', test: not(equals) },
  $nei: { takes: 'one', text: true, test: not(folded(equals)) },
  $lt: { takes: 'one', test: (value, operand) => compare(value, operand) < 0 },
  $lte: { takes: 'one', test: (value, operand) => compare(value, operand) <= 0 },
  $gt: { takes: 'one', test: (value, operand) => compare(value, operand) > 0 },
  $gte: { takes: 'one', test: (value, operand) => compare(value, operand) >= 0 },
  $in: { takes: 'list', test: never },
  $notIn: { takes: 'list', test: never },
  $contains: { takes: 'one', text: true, test: contains },
  $notContains: { takes: 'one', text: true, test: not(contains) },
  $containsi: { takes: 'one', text: true, test: folded(contains) },
  $notContainsi: { takes: 'one', text: true, test: not(folded(contains)) },
  $startsWith: { takes: 'one', text: true, test: startsWith },
  $startsWithi: { takes: 'one', text: true, test: folded(startsWith) },
  $endsWith: { takes: 'one', text: true, test: endsWith },
  $endsWithi: { takes: 'one', text: true, test: folded(endsWith) },
  $null: { takes: 'flag', test: never },
  $notNull: { takes: 'flag', test: never },
  $between: {
    takes: 'pair',
    test: (value, low, high) => compare(value, low) >= 0 && compare(value, high) <= 0,
  },
};

/** `$in` and `$notIn` of a value that may be null. */
export function isOneOf(value: Comparable | null, operands: Comparable[]): Truth {
  if (value === null) return null;
  return operands.some((operand) => equals(value, operand));
}
