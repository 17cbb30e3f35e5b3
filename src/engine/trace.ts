import { setCost } from '../plan/cost-model.ts';
import { type Plan, printPlan } from '../plan/plan.ts';
import { runPlan } from '../run/filter.ts';
import { countRows } from '../sets/row-set.ts';

/** How a request was answered. */
export interface Explanation {
  status: number;
  /** The plan of the filter, with estimated and real numbers of rows; empty where every visible row is taken. */
  plan: string;
  /** What each stage took, in microseconds, in order. */
  stages: { stage: string; microseconds: number }[];
  bytes: number;
}

/** Notes the plan of a request and the time of its stages, for an explanation. */
export class Trace {
  readonly stages: { stage: string; microseconds: number }[] = [];
  #plan: Plan | null = null;
  #last = performance.now();
  /** Steps that counting rows may still take. */
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** A stage has ended. */
  mark(stage: string): void {
    const now = performance.now();
    this.stages.push({ stage, microseconds: Math.round((now - this.#last) * 1000) });
    this.#last = now;
  }

  /** The filter has been planned. */
  planned(plan: Plan): void {
    this.#plan = plan;
    this.mark('plan');
  }

  /** The plan in words. Parts are run once more, each alone, to count its rows, as long as there are steps left. */
  get plan(): string {
    return this.#plan ? printPlan(this.#plan, (part) => this.#count(part)) : '';
  }

  #count(part: Plan): number | null {
    this.#left -= setCost(part);
    return this.#left < 0 ? null : countRows(runPlan(part));
  }
}
