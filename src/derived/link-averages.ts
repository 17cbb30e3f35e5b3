import type { Adjacency } from '../store/adjacency.ts';
import type { Derived, DerivedRegistry } from './registry.ts';

interface Entry extends Derived {
  readonly average: number;
}

/**
 * The average number of links of a row that other links lead to. It is often larger than the average of all rows: rows
 * with many links are reached more often. Counted on first use of two relations, in a time linear in the first one.
 */
export class LinkAverages {
  readonly #registry: DerivedRegistry;
  /** By the links that lead to a row, and by those that lead on from it. Both belong to one segment each. */
  readonly #entries = new Map<Adjacency, Map<Adjacency, Entry>>();

  constructor(registry: DerivedRegistry) {
    this.#registry = registry;
  }

  /**
   * Returns the average number of `links` of the rows that `before` leads to. A row counts once for each link to it.
   */
  average(before: Adjacency, links: Adjacency): number {
    const known = this.#entries.get(before)?.get(links);
    if (known) {
      this.#registry.use(known);
      return known.average;
    }
    const average = averageOf(before, links);
    this.#register(before, links, average);
    return average;
  }

  #register(before: Adjacency, links: Adjacency, average: number): void {
    let entries = this.#entries.get(before);
    if (!entries) this.#entries.set(before, (entries = new Map()));
    const onEvict = () => {
      entries.delete(links);
      if (entries.size === 0) this.#entries.delete(before);
    };
    const entry = { average, bytes: 0, onEvict };
    entries.set(links, entry);
    this.#registry.add(entry);
  }
}

function averageOf(before: Adjacency, { offsets }: Adjacency): number {
  let sum = 0;
  for (const row of before.targets) sum += offsets[row + 1] - offsets[row];
  return sum / Math.max(before.targets.length, 1);
}
