import { ValidationError } from './errors.ts';

/**
 * Counts what one request looks at, in steps of one to two nanoseconds: a word of bits that is gone through is one, a row
 * that is tested some. Counted by size before anything is done, not by the clock: the same request to the same content
 * is always refused or never.
 */
export class CostBudget {
  readonly #most: number;
  #spent = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get charged(): number {
    return this.#spent;
  }

  /** How many steps are left. */
  get remaining(): number {
    return this.#most - this.#spent;
  }

  /** Throws a ValidationError if it is more than what is left. */
  charge(steps: number): void {
    this.#spent += steps;
    if (this.#spent <= this.#most) return;
    throw new ValidationError(
      `The query would take more than ${this.#most} steps (budgets.steps): ask for fewer or narrower conditions, sort by fewer relations, or populate less`,
      { limit: this.#most, setting: 'budgets.steps' },
    );
  }
}
