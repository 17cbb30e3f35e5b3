import type { Database } from './snapshot.ts';
import { type Comparable, compare, compareOf, fold, foldAscii, isSameLetter, withoutAccents } from './values.ts';

/** SQL truth: null is unknown. */
export type Truth = boolean | null;

export interface Operator {
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
type Test = (value: Comparable, operand: Comparable) => boolean;
const readBy =
  (read: (text: string) => string) =>
  (test: Test): Test =>
  (value, operand) =>
    test(read(String(value)), read(String(operand)));
const folded = readBy(fold);
const foldedAscii = readBy(foldAscii);
const not =
  (test: Test): Test =>
  (value, operand) =>
    !test(value, operand);
const never = () => false;

/** The operators of a database. Which of them there are does not depend on it. */
export function operatorsOf(database: Database): Record<string, Operator> {
  return { postgres: operators, sqlite: sqliteOperators, mysql: mysqlOperators }[database];
}

/** By the rules of PostgreSQL. */
const operators: Record<string, Operator> = {
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

/**
 * SQLite's LIKE compares without the case of A to Z, whichever operator asks, and its LOWER changes no other letters.
 */
const sqliteOperators: Record<string, Operator> = {
  ...operators,
  $eqi: { takes: 'one', text: true, test: foldedAscii(equals) },
  $nei: { takes: 'one', text: true, test: not(foldedAscii(equals)) },
  $contains: { takes: 'one', text: true, test: foldedAscii(contains) },
  $notContains: { takes: 'one', text: true, test: not(foldedAscii(contains)) },
  $containsi: { takes: 'one', text: true, test: foldedAscii(contains) },
  $notContainsi: { takes: 'one', text: true, test: not(foldedAscii(contains)) },
  $startsWith: { takes: 'one', text: true, test: foldedAscii(startsWith) },
  $startsWithi: { takes: 'one', text: true, test: foldedAscii(startsWith) },
  $endsWith: { takes: 'one', text: true, test: foldedAscii(endsWith) },
  $endsWithi: { takes: 'one', text: true, test: foldedAscii(endsWith) },
};

/** With a language, the operators that ignore case compare texts without their accents. */
export function ignoringAccents(key: string, operator: Operator): Operator {
  if (!ignoresCase.includes(key)) return operator;
  return { ...operator, test: readBy(withoutAccents)(operator.test as Test) };
}

const ignoresCase = ['$eqi', '$nei', '$containsi', '$notContainsi', '$startsWithi', '$endsWithi'];

/** Where the characters of a part stand in a text, one for one, by MySQL's LIKE. */
function placesOf(part: Comparable, text: Comparable): number[] {
  const wanted = [...String(part)];
  const given = [...String(text)];
  const places = Array.from({ length: Math.max(0, given.length - wanted.length + 1) }, (_, place) => place);
  return places.filter((place) => wanted.every((letter, i) => isSameLetter(letter, given[place + i]!)));
}

const likeContains: Test = (value, operand) => placesOf(operand, value).length > 0;
const likeStart: Test = (value, operand) => placesOf(operand, value).includes(0);
const likeEnd: Test = (value, operand) =>
  placesOf(operand, value).includes([...String(value)].length - [...String(operand)].length);
const collates = compareOf('mysql');
const collatesEqual: Test = (value, operand) => collates(value, operand) === 0;

/** Letters are compared without case and accents: by their weights, and one for one in a LIKE. */
const mysqlOperators: Record<string, Operator> = {
  ...operators,
  $eq: { takes: 'one', test: collatesEqual },
  $eqi: { takes: 'one', text: true, test: collatesEqual },
  $ne: { takes: 'one', test: not(collatesEqual) },
  $nei: { takes: 'one', text: true, test: not(collatesEqual) },
  $lt: { takes: 'one', test: (value, operand) => collates(value, operand) < 0 },
  $lte: { takes: 'one', test: (value, operand) => collates(value, operand) <= 0 },
  $gt: { takes: 'one', test: (value, operand) => collates(value, operand) > 0 },
  $gte: { takes: 'one', test: (value, operand) => collates(value, operand) >= 0 },
  $contains: { takes: 'one', text: true, test: likeContains },
  $notContains: { takes: 'one', text: true, test: not(likeContains) },
  $containsi: { takes: 'one', text: true, test: likeContains },
  $notContainsi: { takes: 'one', text: true, test: not(likeContains) },
  $startsWith: { takes: 'one', text: true, test: likeStart },
  $startsWithi: { takes: 'one', text: true, test: likeStart },
  $endsWith: { takes: 'one', text: true, test: likeEnd },
  $endsWithi: { takes: 'one', text: true, test: likeEnd },
  $between: {
    takes: 'pair',
    test: (value, low, high) => collates(value, low) >= 0 && collates(value, high) <= 0,
  },
};

/** `$in` and `$notIn` of a value that may be null. */
export function isOneOf(value: Comparable | null, operands: Comparable[], database: Database): Truth {
  if (value === null) return null;
  return operands.some((operand) => compareOf(database)(value, operand) === 0);
}
