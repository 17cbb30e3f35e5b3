import type { CostBudget } from '../../core/cost-budget.ts';
import type { BitSet } from '../../core/sets/bit-set.ts';
import type { Adjacency } from '../../store/links/adjacency.ts';
import type { Segment } from '../../store/segment.ts';
import type { Store } from '../../store/store.ts';

/** A store as one request reads it. */
export interface RequestView {
  readonly store: Store;
  /** A part of the keys of cached rows. It differs between requests that differ in `reachable`. */
  readonly cacheKeyPart: string;
  /**
   * The rows of a segment that count as related: filters and sorts ignore links to other rows. They are the live rows
   * of the status that the dialect chooses for related entries. Null: all rows.
   */
  reachable(segment: Segment): BitSet | null;
  /** The average number of `links` of the rows to which `before` leads. */
  averageLinksBehind(before: Adjacency, links: Adjacency): number;
  /** The cost that the request may still incur. */
  readonly budget: CostBudget;
}
