import type { CodeSet } from '../../core/sets/code-set.ts';
import type { Column } from '../../store/columns/column.ts';
import { averageLinksPerRow, mostRowsWithoutLinks } from '../../store/links/link-counts.ts';
import type { Segment } from '../../store/segment.ts';
import type { ValueCondition } from '../bound.ts';
import type { Scope } from '../visible/scope.ts';
import type { VisibleSet } from '../visible/visible-set.ts';
import { countingCost } from './cost-model.ts';
import { unit } from './cost-units.ts';
import { follow } from './follow.ts';
import type { LogicalPlan, LogicalSemiJoin } from './logical-plan.ts';
import { codesFor } from './operator-codes.ts';
import type { PhysicalPlan, SemiJoin } from './physical-plan.ts';
import type { RequestView } from './request-view.ts';

/** Returns the rows of a segment that a scope makes visible. */
export type FindVisible = (segment: Segment, scope: Scope) => VisibleSet;

/**
 * Builds the plan that runs on a segment: values become codes of its columns, relations become its links, and each node
 * gets an estimate. Charges each comparison to `view.budget` when it is built, so that a plan that costs too much is
 * rejected at once.
 */
export function buildPhysicalPlan(
  view: RequestView,
  segment: Segment,
  plan: LogicalPlan,
  findVisible: FindVisible,
): PhysicalPlan {
  const { rowCount } = segment;
  switch (plan.kind) {
    case 'everything':
      return { kind: 'everything', segment, estimate: rowCount };
    case 'nothing':
      return { kind: 'nothing', segment, estimate: 0 };
    case 'visible': {
      const visible = findVisible(segment, plan.scope);
      return { kind: 'visible', segment, visible, scope: plan.scope, estimate: visible.count };
    }
    case 'value':
      return buildComparison(view, segment, plan);
    case 'semiJoin':
      return buildSemiJoin(view, segment, plan, findVisible);
    case 'antiJoin':
      return {
        kind: 'antiJoin',
        segment,
        inner: buildPhysicalPlan(view, segment, plan.inner, findVisible),
        estimate: rowCount,
      };
    case 'and': {
      const parts = plan.parts.map((part) => buildPhysicalPlan(view, segment, part, findVisible));
      return { kind: 'and', segment, parts, estimate: Math.min(...parts.map(({ estimate }) => estimate)) };
    }
    case 'or': {
      const parts = plan.parts.map((part) => buildPhysicalPlan(view, segment, part, findVisible));
      const sum = parts.reduce((total, { estimate }) => total + estimate, 0);
      return { kind: 'or', segment, parts, estimate: Math.min(rowCount, sum) };
    }
    default:
      return plan satisfies never;
  }
}

function buildSemiJoin(view: RequestView, segment: Segment, plan: LogicalSemiJoin, findVisible: FindVisible): SemiJoin {
  const { attribute, matchesUnlinked } = plan;
  const { target, links } = follow(view, segment, attribute);
  const inner = buildPhysicalPlan(view, target, plan.inner, findVisible);
  const linked = Math.ceil(inner.estimate * averageLinksPerRow(links.reverse));
  const unlinked = matchesUnlinked ? mostRowsWithoutLinks(links.forward) : 0;
  const estimate = Math.min(segment.rowCount, linked + unlinked);
  const reachable = view.reachable(target);
  return { kind: 'semiJoin', segment, attribute, links, inner, matchesUnlinked, reachable, estimate };
}

function buildComparison(view: RequestView, segment: Segment, condition: ValueCondition): PhysicalPlan {
  const { collection, delta } = segment;
  const column = comparedColumn(collection, condition);
  const codes = findCodes(view, column, condition);
  const counted = column.countRows(codes);
  if (!delta) return { kind: 'values', segment, column, codes, changed: null, condition, estimate: counted };
  const changedColumn = comparedColumn(delta, condition);
  const changed = { delta, column: changedColumn, codes: findCodes(view, changedColumn, condition) };
  const estimate = Math.min(segment.rowCount, counted + changedColumn.countRows(changed.codes));
  return { kind: 'values', segment, column, codes, changed, condition, estimate };
}

function findCodes({ budget }: RequestView, { dictionary }: Column, condition: ValueCondition): CodeSet {
  budget.charge(unit.plannedComparison);
  const codes = codesFor(dictionary, condition, budget);
  budget.charge(countingCost(codes));
  return codes;
}

/** Returns the column that a comparison reads. Comparisons with JSON read its text. */
function comparedColumn<Compared extends Column>(
  { columns, jsonTexts }: { columns: ReadonlyMap<string, Compared>; jsonTexts: ReadonlyMap<string, Compared> },
  { attribute, comparison }: ValueCondition,
): Compared {
  const own = columns.get(attribute)!;
  return own.dictionary.kind === 'presence' && comparison !== 'isNull' ? jsonTexts.get(attribute)! : own;
}
