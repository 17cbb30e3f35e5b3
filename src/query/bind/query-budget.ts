import { passedLimit } from '../../base/errors.ts';

/** The most that one query may say. */
export interface QueryBudgets {
  /** Bytes of a query string, as it was sent. */
  readonly queryBytes: number;
  /** Parameters of a query string. */
  readonly parameters: number;
  /** Brackets in a key, and names in a dotted path. */
  readonly depth: number;
  /** Comparisons in all filters together, those inside `populate` too; a list of values is one. */
  readonly conditions: number;
  /** Types that are populated, each at each place where it is. */
  readonly populate: number;
  /** Names in all sort keys together, those inside `populate` too: one for each relation passed and one for the value. */
  readonly sorts: number;
}

/**
 * Counts what one query says while it is bound. What is counted lies in the form of a query string and not in its
 * values, so a template is refused exactly if each query of its form is.
 */
export class QueryBudget {
  readonly #budgets: QueryBudgets;
  #conditions = 0;
  #populated = 0;
  #sortNames = 0;

  constructor(budgets: QueryBudgets) {
    this.#budgets = budgets;
  }

  /** Counts one more comparison. Throws a ValidationError past the budget. */
  countCondition(param: string): void {
    const { conditions } = this.#budgets;
    if (++this.#conditions <= conditions) return;
    throw passedLimit(`The filters hold more than ${conditions} conditions`, conditions, 'budgets.conditions', {
      source: 'query',
      param,
    });
  }

  /** Counts one more type that is populated at one place. Throws a ValidationError past the budget. */
  countPopulated(): void {
    const { populate } = this.#budgets;
    if (++this.#populated <= populate) return;
    const message = `The query populates at more than ${populate} places`;
    throw passedLimit(message, populate, 'budgets.populate', { source: 'query', param: 'populate' });
  }

  /** Counts one more sort key, whose path has so many names. Throws a ValidationError past the budget. */
  countSortKey(param: string, names: number): void {
    const { sorts } = this.#budgets;
    this.#sortNames += names;
    if (this.#sortNames <= sorts) return;
    const message = `The sort keys of the query have more than ${sorts} names`;
    throw passedLimit(message, sorts, 'budgets.sorts', { source: 'query', param });
  }

  /** Throws a ValidationError for a dotted path of too many names. */
  checkDepth(param: string, names: number): void {
    const { depth } = this.#budgets;
    if (names <= depth) return;
    const message = `A path in ${param} has ${names} names; at most ${depth} are allowed`;
    throw passedLimit(message, depth, 'budgets.depth', { source: 'query', param });
  }
}
