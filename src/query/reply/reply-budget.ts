import type { CostBudget } from '../../core/cost-budget.ts';
import { budgetExceeded } from '../../core/errors.ts';
import { nodeCost } from './cost.ts';
import type { SizeEstimate } from './size-estimate.ts';

/** The maximum size of one reply. */
export interface Budgets {
  /** Entries, components and files. */
  readonly nodes: number;
  readonly bytes: number;
}

/** Room for what the estimate leaves out: delimiters, suffixes, and lists with a window. A longer reply grows again. */
const estimateMargin = 1.05;

const advice = 'populate less, or take smaller pages';

/** An estimate of everything that follows, made only if the reply turns out to be long. */
interface PendingEstimate {
  readonly estimate: (maximumCost: number) => SizeEstimate;
  /** Cost that was left, and bytes that were written, before the first entry. */
  readonly costLeft: number;
  readonly bytesBefore: number;
}

/** What one reply has used of the limits of a reply, and of the request's cost budget. */
export class ReplyBudget {
  readonly #limits: Budgets;
  readonly #cost: CostBudget;
  #nodes = 0;
  #pending: PendingEstimate | null = null;

  constructor(limits: Budgets, cost: CostBudget) {
    this.#limits = limits;
    this.#cost = cost;
  }

  /** Throws a ValidationError if the cost exceeds the budget. */
  charge(cost: number): void {
    this.#cost.charge(cost);
  }

  /** Counts and charges one more entry, component or file. */
  countNode(): void {
    this.#cost.charge(nodeCost);
    this.#checkNodes(++this.#nodes);
  }

  /** Throws a ValidationError for a reply of too many bytes. */
  checkLength(bytes: number): void {
    const { bytes: limit } = this.#limits;
    if (bytes <= limit) return;
    throw budgetExceeded(`The reply would take more than ${limit} bytes`, limit, 'budgets.bytes', advice);
  }

  /** Sets how to estimate the entries that follow `bytesBefore` bytes. */
  setEstimate(estimate: PendingEstimate['estimate'], bytesBefore: number): void {
    this.#pending = { estimate, costLeft: this.#cost.remaining, bytesBefore };
  }

  /**
   * Returns the size of the buffer for a reply of at least `needed` bytes: the estimated length, or twice what is
   * needed if there is no estimate or it was too low. Throws a ValidationError if the estimate exceeds a limit.
   */
  longCapacity(needed: number): number {
    const estimated = this.#estimatedBytes();
    return Math.min(estimated > needed ? estimated : needed * 2, this.#limits.bytes);
  }

  /** Estimates once. Returns 0 from then on. */
  #estimatedBytes(): number {
    if (!this.#pending) return 0;
    const { estimate, costLeft, bytesBefore } = this.#pending;
    const { nodes, bytes, cost, estimatingCost } = estimate(costLeft);
    this.#pending = null;
    this.#cost.charge(estimatingCost);
    // throws: the entries that were written have been charged, so that `cost` is not added otherwise
    if (cost + estimatingCost > costLeft) this.#cost.charge(cost);
    this.#checkNodes(nodes);
    this.checkLength(bytesBefore + bytes);
    return Math.ceil((bytesBefore + bytes) * estimateMargin);
  }

  #checkNodes(nodes: number): void {
    const { nodes: limit } = this.#limits;
    if (nodes <= limit) return;
    throw budgetExceeded(`The reply would hold more than ${limit} entries`, limit, 'budgets.nodes', advice);
  }
}
