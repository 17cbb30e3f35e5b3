import { builtModule } from '../program.ts';

interface BuiltBudget {
  readonly charged: number;
  charge(steps: number): void;
}

let counted = 0;

const { CostBudget } = (await import(builtModule('base/cost-budget.js'))) as {
  CostBudget: { prototype: BuiltBudget };
};
const { charge } = CostBudget.prototype;
CostBudget.prototype.charge = function (steps) {
  counted = this.charged;
  charge.call(this, steps);
  counted = this.charged;
};

/** Tells how many steps the built program has counted of a request, without the part that a budget refused. */
export function countedSteps(): { start(): void; readonly counted: number } {
  return {
    start: () => void (counted = 0),
    get counted() {
      return counted;
    },
  };
}
