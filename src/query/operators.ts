/**
 * The comparison operators by name: what operand each takes, and the test it stands for.
 * The tests themselves are in plan/operator-codes.ts; the compiler checks that both tables cover the same tests.
 */

/** What can be tested of a value. Whatever is not here is one of these negated. */
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
  /** Holds a text in which `_` stands for any one character, in whatever case. Only `_q` asks for it. */
  'matchesFolded',
  'isNull',
] as const;

export type Comparison = (typeof comparisons)[number];

export interface Operator {
  readonly comparison: Comparison;
  readonly negated: boolean;
  /** `value`: one value of the attribute's type; `text`: text; `list`, `pair`: of such values; `boolean`. */
  readonly operand: 'value' | 'text' | 'list' | 'pair' | 'boolean';
}

const operator = (test: Comparison, operand: Operator['operand'], negated = false): Operator => ({
  comparison: test,
  operand,
  negated,
});

export const operators: ReadonlyMap<string, Operator> = new Map(
  Object.entries({
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
  }),
);

/**
 * A test by the name of its operator, such as `$gte`. A negated test without an operator of its own gets `$not`; the
 * test that only `_q` makes gets `_q`.
 */
export function operatorName(test: Comparison, negated: boolean): string {
  for (const [name, operator] of operators) {
    if (operator.comparison === test && operator.negated === negated) return name;
  }
  return negated ? `$not ${operatorName(test, false)}` : '_q';
}

/** The operators that join conditions. */
export const logicalOperators: ReadonlySet<string> = new Set(['$and', '$or', '$not']);
