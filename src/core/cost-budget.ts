import { budgetExceeded } from './errors.ts';

/**
 * Cost budget of one request, in units of one to two nanoseconds: one unit reads a word of a bitmap, several test a
 * row. Costs are computed from sizes and counts, never measured, so the same request on the same content always
 * succeeds or always fails.
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
    throw budgetExceeded(
      `The query costs more than ${this.#limit} steps`,
      this.#limit,
      'budgets.steps',
      'use fewer or narrower conditions, sort by fewer relations, or populate less',
    );
  }
}
