import { follow } from '../derived/follow.ts';
import type { VisibleRowSet } from '../derived/visible-row-set.ts';
import type { Scope } from '../derived/visible-rows.ts';
import type { ValueCondition } from '../query/bound.ts';
import type { Collection } from '../store/collection.ts';
import type { StoreView } from '../store/store.ts';
import { countingCost } from './cost-model.ts';
import { unit } from './cost-units.ts';
import type { LogicalPlan } from './logical-plan.ts';
import { codesFor } from './operator-codes.ts';
import type { Plan } from './plan.ts';

/** Returns the rows of a collection that a scope makes visible. */
export type FindVisible = (collection: Collection, scope: Scope) => VisibleRowSet;

/**
 * Binds a logical plan to a collection: values become codes of its columns, relations become its links, and each node
 * gets an estimate. Adds the cost of each comparison to `view.budget` before its values are searched for, so that a plan
 * that costs too much is rejected at once.
 */
export function bindPlan(view: StoreView, collection: Collection, plan: LogicalPlan, findVisible: FindVisible): Plan {
  const { rowCount } = collection;
  switch (plan.kind) {
    case 'everything':
      return { kind: 'everything', collection, estimate: rowCount };
    case 'nothing':
      return { kind: 'nothing', collection, estimate: 0 };
    case 'visible': {
      const visible = findVisible(collection, plan.scope);
      return { kind: 'visible', collection, visible, scope: plan.scope, estimate: visible.count };
    }
    case 'value':
      return bindComparison(view, collection, plan);
    case 'semiJoin': {
      const { attribute, matchesUnlinked } = plan;
      const { target, links } = follow(view, collection, attribute);
      const inner = bindPlan(view, target, plan.inner, findVisible);
      const perTarget = target.rowCount === 0 ? 0 : links.reverse.targets.length / target.rowCount;
      const estimate = Math.min(rowCount, Math.ceil(inner.estimate * perTarget));
      const reachable = view.reachable(target);
      return { kind: 'semiJoin', collection, attribute, links, inner, matchesUnlinked, reachable, estimate };
    }
    case 'antiJoin':
      return {
        kind: 'antiJoin',
        collection,
        inner: bindPlan(view, collection, plan.inner, findVisible),
        estimate: rowCount,
      };
    case 'and': {
      const parts = plan.parts.map((part) => bindPlan(view, collection, part, findVisible));
      return { kind: 'and', collection, parts, estimate: Math.min(...parts.map(({ estimate }) => estimate)) };
    }
    case 'or': {
      const parts = plan.parts.map((part) => bindPlan(view, collection, part, findVisible));
      const sum = parts.reduce((total, { estimate }) => total + estimate, 0);
      return { kind: 'or', collection, parts, estimate: Math.min(rowCount, sum) };
    }
    default:
      return plan satisfies never;
  }
}

function bindComparison(view: StoreView, collection: Collection, condition: ValueCondition): Plan {
  const { attribute, comparison } = condition;
  const own = collection.columns.get(attribute)!;
  // comparisons with JSON compare its text
  const column =
    own.dictionary.kind === 'presence' && comparison !== 'isNull' ? collection.jsonTexts.get(attribute)! : own;
  view.budget.charge(unit.plannedComparison);
  const codes = codesFor(column.dictionary, condition, view.budget);
  view.budget.charge(countingCost(codes));
  return { kind: 'values', collection, column, codes, condition, estimate: column.countRows(codes) };
}
