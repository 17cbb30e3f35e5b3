import type { Scope } from '../derived/visible-rows.ts';
import type { Condition } from '../query/bound.ts';
import type { Collection } from '../store/collection.ts';
import type { StoreView } from '../store/store.ts';
import { bindPlan, type FindVisible } from './bind-plan.ts';
import { maximumCost } from './cost-model.ts';
import { logicalPlan } from './logical-plan.ts';
import type { Plan } from './plan.ts';
import { logicalRewrites, physicalRewrites, rewrite } from './rewrites.ts';

/** A plan that can be run, and what running it costs at most. */
export interface PlannedQuery {
  readonly plan: Plan;
  readonly cost: number;
}

/**
 * Plans the visible rows of a collection for which every condition is true. A pure function of store, scope and
 * conditions: neither earlier requests nor caches change the plan or its cost.
 */
export function planQuery(
  view: StoreView,
  collection: Collection,
  scope: Scope,
  conditions: readonly Condition[],
  findVisible: FindVisible,
): PlannedQuery {
  const logical = rewrite(logicalPlan(conditions, scope), logicalRewrites);
  const bound = bindPlan(view, collection, logical, findVisible);
  return { plan: rewrite(bound, physicalRewrites), cost: maximumCost(bound) };
}
