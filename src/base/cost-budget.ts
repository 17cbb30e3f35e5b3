import { ValidationError } from './errors.ts';

/**
 * Cost budget of one request, in units of one to two nanoseconds. Reading one word of a bitmap costs one unit. Testing
 * one row costs several. Costs are estimated from sizes before the work starts, never measured, so the same request on
 * the same content always succeeds or always fails.
 */
export class CostBudget {
  readonly #limit: number;
  #charged = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get charged(): number {
    return this.#charged;
  }

  /** Remaining cost units. Negative after an overrun. */
  get remaining(): number {
    return this.#limit - this.#charged;
  }

  /** Adds a cost. Throws a ValidationError if the total exceeds the limit. */
  charge(cost: number): void {
    this.#charged += cost;
    if (this.#charged <= this.#limit) return;
    throw new ValidationError(
      `The query costs more than ${this.#limit} steps (budgets.steps): use fewer or narrower conditions, sort by fewer relations, or populate less`,
      { limit: this.#limit, setting: 'budgets.steps' },
    );
  }
}
