import type { CostBudget } from '../core/cost-budget.ts';
import { countRows } from '../core/sets/row-set.ts';
import { averageCost } from '../query/plan/cost-model.ts';
import { describePlan, type PlanDescription, printPlan, printRewrites } from '../query/plan/describe-plan.ts';
import type { Plan } from '../query/plan/plan.ts';
import type { PlannedQuery } from '../query/plan/planner.ts';
import { headerPlan, noStore, type Reply } from '../query/reply/reply.ts';
import { type EarlyPage, type PageRequest, type PageStrategy, printStrategy } from '../query/run/page-strategy.ts';
import { runPlan } from '../query/run/run-plan.ts';

/** One stage of answering a request. */
export interface Stage {
  stage: string;
  microseconds: number;
  /** What the stage was charged, in cost units. */
  cost: number;
}

/** How a request was answered. */
export interface Explanation {
  status: number;
  /**
   * The plan of the filter, with estimated and actual numbers of rows, and the rewrites that changed it. Empty if every
   * visible row is taken. The JSON of the error for a status from 400, and a description for routes without a query.
   */
  plan: string;
  /** The same as data: null if every visible row is taken, and without a query. */
  tree: PlanDescription | null;
  /** The rewrites that changed the plan. */
  rewrites: readonly string[];
  /** How the page was found among the matches. Empty for a count and for an error. */
  page: string;
  /** In order. */
  stages: Stage[];
  /** What the request was charged in total, and the maximum (budgets.steps). Null if no query was planned. */
  cost: { total: number; limit: number } | null;
  /** The length of the body before compression. */
  bytes: number;
}

/** Records the plan of a request, and the time and cost of its stages, for an explanation. */
export class Trace {
  readonly stages: Stage[] = [];
  readonly #limit: number;
  #budget: CostBudget | null = null;
  #planned: PlannedQuery | null = null;
  #page = '';
  #lastTime = performance.now();
  #lastCost = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes costs from this budget, from now on. */
  charges(budget: CostBudget): void {
    this.#budget = budget;
  }

  /** Ends a stage. */
  mark(stage: string): void {
    const now = performance.now();
    const charged = this.#charged;
    const cost = Math.round(charged - this.#lastCost);
    this.stages.push({ stage, microseconds: Math.round((now - this.#lastTime) * 1000), cost });
    this.#lastTime = now;
    this.#lastCost = charged;
  }

  /** Records the plan of the filter. */
  planned(planned: PlannedQuery): void {
    this.#planned = planned;
    this.mark('plan');
  }

  /** Records how the page is found. */
  paged(strategy: PageStrategy | EarlyPage, page: PageRequest): void {
    this.#page = printStrategy(strategy, page);
  }

  /** Describes the plan. Runs each part once more to count its rows, as long as the cost stays within the limit. */
  #describePlan(): PlanDescription | null {
    if (!this.#planned) return null;
    let left = this.#limit;
    return describePlan(this.#planned.plan, (part: Plan) => {
      left -= averageCost(part);
      return left < 0 ? null : countRows(runPlan(part));
    });
  }

  /** Explains a request that was answered with a query. */
  ofQuery(status: number, bytes: number): Explanation {
    const tree = this.#describePlan();
    const rewrites = this.#planned?.rewrites ?? [];
    const plan = tree ? printPlan(tree) + printRewrites(rewrites) : '';
    return { ...this.explanation(status, plan, bytes), tree, rewrites };
  }

  /** Explains a request that no query answered. `plan` says why. */
  explanation(status: number, plan: string, bytes: number): Explanation {
    const cost = this.#budget && { total: Math.ceil(this.#charged), limit: this.#limit };
    return { status, plan, tree: null, rewrites: [], page: this.#page, stages: this.stages, cost, bytes };
  }

  get #charged(): number {
    return this.#budget?.charged ?? 0;
  }
}

/** Returns a reply with the plan and the time of each stage in headers. */
export function explainedReply({ status, headers, body, route }: Reply, { plan, stages }: Explanation): Reply {
  const times = stages.map(({ stage, microseconds }) => `${stage};dur=${microseconds / 1000}`);
  const explained = {
    ...headers,
    'Cache-Control': noStore,
    'X-Lectern-Plan': headerPlan(plan),
    'Server-Timing': times.join(', '),
  };
  return { status, headers: explained, body, route };
}
