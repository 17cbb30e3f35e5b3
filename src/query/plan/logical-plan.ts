import type { Condition, ValueCondition } from '../bound.ts';
import type { Scope } from '../visible/scope.ts';

/** What rows a query selects, by names of attributes and values: the same for every store with the same schema. */
export type LogicalPlan =
  | { readonly kind: 'everything' | 'nothing' }
  /** The rows that a scope makes visible. */
  | { readonly kind: 'visible'; readonly scope: Scope }
  | ValueCondition
  /**
   * The rows that are linked to a row of the inner plan; with `matchesUnlinked` also those that are linked to nothing.
   */
  | {
      readonly kind: 'semiJoin';
      readonly attribute: string;
      readonly inner: LogicalPlan;
      readonly matchesUnlinked: boolean;
    }
  /** The rows that are not among those of the inner plan. */
  | { readonly kind: 'antiJoin'; readonly inner: LogicalPlan }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly LogicalPlan[] };

export type LogicalSemiJoin = LogicalPlan & { readonly kind: 'semiJoin' };

/** The plan of all visible rows for which every condition is true. */
export function buildLogicalPlan(conditions: readonly Condition[], scope: Scope): LogicalPlan {
  return { kind: 'and', parts: [...conditions.map(conditionPlan), { kind: 'visible', scope }] };
}

function conditionPlan(condition: Condition): LogicalPlan {
  switch (condition.kind) {
    case 'value':
      return condition;
    case 'related': {
      const matchesUnlinked = isTrueOfNulls(condition.condition);
      const inner = conditionPlan(condition.condition);
      return { kind: 'semiJoin', attribute: condition.attribute, inner, matchesUnlinked };
    }
    case 'not':
      return { kind: 'antiJoin', inner: conditionPlan(condition.condition) };
    case 'all':
      return { kind: 'and', parts: condition.conditions.map(conditionPlan) };
    case 'any':
      return { kind: 'or', parts: condition.conditions.map(conditionPlan) };
    default:
      return condition satisfies never;
  }
}

/** Returns whether a condition is true of a row of nulls, which takes the place of related rows that do not exist. */
function isTrueOfNulls(condition: Condition): boolean {
  switch (condition.kind) {
    case 'value':
      return condition.comparison === 'isNull' && !condition.negated;
    case 'related':
      return isTrueOfNulls(condition.condition);
    case 'not':
      return !isTrueOfNulls(condition.condition);
    case 'all':
      return condition.conditions.every(isTrueOfNulls);
    case 'any':
      return condition.conditions.some(isTrueOfNulls);
    default:
      return condition satisfies never;
  }
}
