import type { Segment } from '../../store/segment.ts';
import type { Condition } from '../bound.ts';
import type { Scope } from '../visible/scope.ts';
import { buildPhysicalPlan, type FindVisible } from './build-physical-plan.ts';
import { maximumCost } from './cost-model.ts';
import { buildLogicalPlan } from './logical-plan.ts';
import type { PhysicalPlan } from './physical-plan.ts';
import type { RequestView } from './request-view.ts';
import { logicalRewrites, physicalRewrites, rewrite } from './rewrites.ts';

/** A plan that can be run. */
export interface PlannedQuery {
  readonly plan: PhysicalPlan;
  /** Names of the rewrites that changed the plan, in the order in which they first did. */
  readonly rewrites: readonly string[];
  /** The cost of planning, and an upper bound of the cost of running the plan. The caller charges it before running. */
  readonly cost: number;
}

/**
 * Plans the visible rows of a segment for which every condition is true. The plan and its cost follow from store, scope
 * and conditions alone: neither earlier requests nor caches change them. Charges nothing to `view.budget`, but throws
 * if searching for the operands costs more than the budget has left.
 */
export function planQuery(
  view: RequestView,
  segment: Segment,
  scope: Scope,
  conditions: readonly Condition[],
  findVisible: FindVisible,
): PlannedQuery {
  const applied = new Set<string>();
  const logical = rewrite(buildLogicalPlan(conditions, scope), logicalRewrites, applied);
  const budget = view.budget.fork();
  const physical = buildPhysicalPlan({ ...view, budget }, segment, logical, findVisible);
  const plan = rewrite(physical, physicalRewrites, applied);
  const cost = budget.charged - view.budget.charged + maximumCost(plan);
  return { plan, rewrites: [...applied], cost };
}
