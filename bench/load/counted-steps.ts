import { builtModule } from '../program.ts';

interface BuiltWork {
  readonly spent: number;
  spend(steps: number): void;
}

let counted = 0;

const { Work } = (await import(builtModule('store/work.js'))) as { Work: { prototype: BuiltWork } };
const { spend } = Work.prototype;
Work.prototype.spend = function (steps) {
  counted = this.spent;
  spend.call(this, steps);
  counted = this.spent;
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
