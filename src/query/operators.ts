/**
 * The operators of filters, by name. This table gives the operand that each takes and the comparison that it makes;
 * plan/operator-codes.ts implements the comparisons. The compiler checks that it implements each.
 */

/** What a value can be compared for. Every operator is one of these, or its negation. */
export const comparisons = [
  'equal',
  'equalFolded',
  'less',
  'lessOrEqual',
  'greater',
  'greaterOrEqual',
  'oneOf',
  'between',
  'contains',
  'containsFolded',
  'startsWith',
  'startsWithFolded',
  'endsWith',
  'endsWithFolded',
  /** Contains a text in which `_` matches any one character, ignoring case. Only `_q` makes this comparison. */
  'matchesFolded',
  /**
   * As SQLite's LIKE and LOWER compare: without the case of A to Z, and numbers, dates and booleans in the form that
   * SQLite stores.
   */
  'sqliteEquals',
  'sqliteContains',
  'sqliteStartsWith',
  'sqliteEndsWith',
  'sqliteMatches',
  /** As MySQL compares numbers, dates and booleans as texts, and with `mysqlMatches` texts that differ by case. */
  'mysqlEquals',
  'mysqlContains',
  'mysqlStartsWith',
  'mysqlEndsWith',
  'mysqlMatches',
  'isNull',
] as const;

export type Comparison = (typeof comparisons)[number];

export interface Operator {
  readonly comparison: Comparison;
  readonly negated: boolean;
  /** `value`: one value of the attribute's type; `text`: text; `list`, `pair`: values of the type; `boolean`. */
  readonly operand: 'value' | 'text' | 'list' | 'pair' | 'boolean';
}

function operator(comparison: Comparison, operand: Operator['operand'], negated = false): Operator {
  return { comparison, operand, negated };
}

export const operators = {
  $eq: operator('equal', 'value'),
  $ne: operator('equal', 'value', true),
  $eqi: operator('equalFolded', 'text'),
  $nei: operator('equalFolded', 'text', true),
  $lt: operator('less', 'value'),
  $lte: operator('lessOrEqual', 'value'),
  $gt: operator('greater', 'value'),
  $gte: operator('greaterOrEqual', 'value'),
  $in: operator('oneOf', 'list'),
  $notIn: operator('oneOf', 'list', true),
  $between: operator('between', 'pair'),
  $contains: operator('contains', 'text'),
  $notContains: operator('contains', 'text', true),
  $containsi: operator('containsFolded', 'text'),
  $notContainsi: operator('containsFolded', 'text', true),
  $startsWith: operator('startsWith', 'text'),
  $startsWithi: operator('startsWithFolded', 'text'),
  $endsWith: operator('endsWith', 'text'),
  $endsWithi: operator('endsWithFolded', 'text'),
  $null: operator('isNull', 'boolean'),
  $notNull: operator('isNull', 'boolean', true),
} as const satisfies Record<string, Operator>;

/** The name of an operator that compares an attribute with its operand. */
export type OperatorName = keyof typeof operators;

export function isOperatorName(key: string): key is OperatorName {
  return Object.hasOwn(operators, key);
}

/** The operators that combine conditions, and the kind of node that each makes. */
export const logicalOperators = { $and: 'and', $or: 'or', $not: 'not' } as const;

export type LogicalName = keyof typeof logicalOperators;

export function isLogicalName(key: string): key is LogicalName {
  return Object.hasOwn(logicalOperators, key);
}

/** Names of all operators, for suggestions. */
export const operatorNames: readonly string[] = [...Object.keys(operators), ...Object.keys(logicalOperators)];

/** The comparisons that SQLite makes in another way than PostgreSQL. */
export const sqliteComparisons: Partial<Record<Comparison, Comparison>> = {
  equalFolded: 'sqliteEquals',
  containsFolded: 'sqliteContains',
  contains: 'sqliteContains',
  startsWithFolded: 'sqliteStartsWith',
  startsWith: 'sqliteStartsWith',
  endsWithFolded: 'sqliteEndsWith',
  endsWith: 'sqliteEndsWith',
  matchesFolded: 'sqliteMatches',
};

/** The comparisons of numbers, dates and booleans as texts that MySQL makes in another way than PostgreSQL. */
export const mysqlComparisons: Partial<Record<Comparison, Comparison>> = {
  equalFolded: 'mysqlEquals',
  containsFolded: 'mysqlContains',
  contains: 'mysqlContains',
  startsWithFolded: 'mysqlStartsWith',
  startsWith: 'mysqlStartsWith',
  endsWithFolded: 'mysqlEndsWith',
  endsWith: 'mysqlEndsWith',
  matchesFolded: 'mysqlMatches',
};

/**
 * Returns the name of a comparison's operator, such as `$gte`. It is an `…i` form where two operators compare alike. A negated comparison without an operator of its own
 * begins with `$not`.
 */
export function operatorName(comparison: Comparison, negated: boolean): string {
  for (const [name, operator] of Object.entries<Operator>(operators)) {
    if (operator.comparison === comparison && operator.negated === negated) return name;
  }
  if (negated) return `$not ${operatorName(comparison, false)}`;
  for (const [database, comparisons] of Object.entries({ SQLite: sqliteComparisons, MySQL: mysqlComparisons })) {
    const [other] = Object.entries(comparisons).find(([, found]) => found === comparison) ?? [];
    if (other !== undefined) return `${operatorName(other as Comparison, false)} of ${database}`;
  }
  return '_q';
}
