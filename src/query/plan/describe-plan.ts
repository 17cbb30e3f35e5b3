import type { EntryType } from '../../model/schema/schema.ts';
import type { ValueCondition } from '../bound.ts';
import { operatorName } from '../operators.ts';
import type { Scope } from '../visible/scope.ts';
import type { Plan } from './plan.ts';

/** A part of a plan, for people and for pages that draw it. */
export interface PlanDescription {
  readonly kind: Plan['kind'];
  /** The uid of the type whose rows it selects. */
  readonly type: string;
  /** What it does, such as `stars $gte 4`. The same as `kind` for `and` and `or`. */
  readonly text: string;
  /** How many rows it was expected to select. */
  readonly estimate: number;
  /** How many it selects; null where counting would have cost too much. */
  readonly actual: number | null;
  /** How many rows the type has. */
  readonly of: number;
  readonly parts: readonly PlanDescription[];
}

/** Describes a plan. `count` returns the actual number of rows of a part, or null if it is not known. */
export function describePlan(plan: Plan, count: (part: Plan) => number | null): PlanDescription {
  // outer parts are counted first: if the cost suffices for some only, these tell most
  const actual = count(plan);
  const { kind, segment, estimate } = plan;
  const { type } = segment.collection;
  const parts = partsOf(plan).map((part) => describePlan(part, count));
  return { kind, type: type.uid, text: textOf(plan, type), estimate, actual, of: segment.rowCount, parts };
}

function partsOf(plan: Plan): readonly Plan[] {
  if (plan.kind === 'and' || plan.kind === 'or') return plan.parts;
  return plan.kind === 'semiJoin' || plan.kind === 'antiJoin' ? [plan.inner] : [];
}

function textOf(plan: Plan, type: EntryType): string {
  switch (plan.kind) {
    case 'everything':
    case 'nothing':
    case 'and':
    case 'or':
      return plan.kind;
    case 'visible':
      return textOfScope(plan.scope);
    case 'values':
      return textOfCondition(plan.condition, type);
    case 'semiJoin':
      return `through ${plan.attribute}${plan.matchesUnlinked ? ', or nothing linked' : ''}`;
    case 'antiJoin':
      return 'every row except';
    default:
      return plan satisfies never;
  }
}

function textOfScope({ status, locale, publication, locales }: Scope): string {
  const ofLocale = locales ? `first locale of ${locales.join()}` : locale === null ? null : `locale ${locale}`;
  return [status, ofLocale, publication].filter(Boolean).join(', ');
}

/** Booleans are bound as 0 and 1, and described as they are queried. */
function textOfCondition(condition: ValueCondition, type: EntryType): string {
  const { attribute, comparison, operands, negated, ignoresAccents } = condition;
  const scalar = type.attributes.get(attribute);
  const isBoolean = scalar?.kind === 'scalar' && scalar.type === 'boolean';
  const printed = operands.map((operand) =>
    JSON.stringify(isBoolean && typeof operand === 'number' ? operand === 1 : operand),
  );
  const rule = ignoresAccents ? ['without accents'] : [];
  return [attribute, operatorName(comparison, negated), ...printed, ...rule].join(' ');
}

/** Prints a plan as lines, inner parts indented, each with its estimated and its actual number of rows. */
export function printPlan({ kind, type, text, estimate, actual, of, parts }: PlanDescription, indent = ''): string {
  const name = kind === 'and' || kind === 'or' ? kind : `${type}: ${text}`;
  const counted = actual === null ? '' : `, actual ${actual}`;
  const inner = parts.map((part) => printPlan(part, `${indent}  `)).join('');
  return `${indent}${name}  (~${estimate}${counted} of ${of})\n${inner}`;
}

/** Prints the names of the rewrites that made a plan, as one line; nothing if there are none. */
export function printRewrites(names: readonly string[]): string {
  return names.length === 0 ? '' : `rewrites: ${names.join('; ')}\n`;
}
