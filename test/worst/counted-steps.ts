import { builtModule } from '../../bench/program.ts';
import type * as costBudget from '../../src/core/cost-budget.ts';

let counted = 0;

const { CostBudget } = (await import(builtModule('core/cost-budget.js'))) as typeof costBudget;
const { charge } = CostBudget.prototype;
CostBudget.prototype.charge = function (steps) {
  counted = this.charged;
  charge.call(this, steps);
  counted = this.charged;
};

/** Counts the cost that the built program charges for a request, without the part that exceeded a budget. */
export function countedSteps(): { start(): void; readonly counted: number } {
  return {
    start: () => void (counted = 0),
    get counted() {
      return counted;
    },
  };
}
