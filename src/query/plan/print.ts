import type { EntryType } from '../../model/schema/schema.ts';
import type { ValueCondition } from '../bound.ts';
import { operatorName } from '../operators.ts';
import type { Scope } from '../visible/scope.ts';
import type { Plan } from './plan.ts';

/**
 * Prints a plan as lines, inner parts indented, each with its estimated number of rows. `count` returns the actual
 * number of rows of a part, or null if it is not known.
 */
export function printPlan(plan: Plan, count: (part: Plan) => number | null, indent = ''): string {
  const rows = count(plan);
  const actual = rows === null ? '' : `, actual ${rows}`;
  const { rowCount, collection } = plan.segment;
  const { type } = collection;
  const { uid } = type;
  const line = (text: string) => `${indent}${text}  (~${plan.estimate}${actual} of ${rowCount})\n`;
  const inner = (part: Plan) => printPlan(part, count, `${indent}  `);
  switch (plan.kind) {
    case 'everything':
    case 'nothing':
      return line(`${uid}: ${plan.kind}`);
    case 'visible':
      return line(`${uid}: ${printScope(plan.scope)}`);
    case 'values':
      return line(`${uid}: ${printCondition(plan.condition, type)}`);
    case 'semiJoin':
      return (
        line(`${uid}: through ${plan.attribute}${plan.matchesUnlinked ? ', or nothing linked' : ''}`) +
        inner(plan.inner)
      );
    case 'antiJoin':
      return line(`${uid}: every row except`) + inner(plan.inner);
    case 'and':
    case 'or':
      return line(plan.kind) + plan.parts.map(inner).join('');
    default:
      return plan satisfies never;
  }
}

/** Prints the names of the rewrites that made a plan, as one line; nothing if there are none. */
export function printRewrites(names: readonly string[]): string {
  return names.length === 0 ? '' : `rewrites: ${names.join('; ')}\n`;
}

function printScope({ status, locale, publication }: Scope): string {
  return [status, locale === null ? null : `locale ${locale}`, publication].filter(Boolean).join(', ');
}

/** Booleans are bound as 0 and 1, and printed as they are queried. */
function printCondition({ attribute, comparison, operands, negated }: ValueCondition, type: EntryType): string {
  const scalar = type.attributes.get(attribute);
  const isBoolean = scalar?.kind === 'scalar' && scalar.type === 'boolean';
  const printed = operands.map((operand) =>
    JSON.stringify(isBoolean && typeof operand === 'number' ? operand === 1 : operand),
  );
  return [attribute, operatorName(comparison, negated), ...printed].join(' ');
}
