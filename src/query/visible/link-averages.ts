import type { Adjacency } from '../../store/links/adjacency.ts';
import { countLinks, linkCountOf } from '../../store/links/link-counts.ts';
import type { Derived, DerivedRegistry } from './registry.ts';

interface Entry extends Derived {
  /** The links of the rows that links lead to, without patches. */
  readonly sum: number;
  /** The links that `average` was computed for. Their patches may be older than those of the caller. */
  before: Adjacency;
  links: Adjacency;
  average: number;
}

/**
 * The average number of links of the rows that other links lead to. It often exceeds the average of all rows, because
 * rows with many links are reached more often. Counted on first use of two relations, in a time linear in the first
 * one. After changes, only the links of patches are counted again.
 */
export class LinkAverages {
  readonly #registry: DerivedRegistry;
  /** By the targets of the links that lead to a row, and by the offsets of those that lead on from it. */
  readonly #entries = new Map<Uint32Array, Map<Uint32Array, Entry>>();

  constructor(registry: DerivedRegistry) {
    this.#registry = registry;
  }

  /**
   * Returns the average number of `links` of the rows that `before` leads to. A row counts once for each link to it.
   * With patches this is an estimate, which counts patched lists and the lists that they replace.
   */
  average(before: Adjacency, links: Adjacency): number {
    const known = this.#entries.get(before.targets)?.get(links.offsets);
    if (!known) return this.#register(before, links);
    this.#registry.use(known);
    if (known.before !== before || known.links !== links) {
      Object.assign(known, { before, links, average: averageOf(before, links, known.sum) });
    }
    return known.average;
  }

  #register(before: Adjacency, links: Adjacency): number {
    const { targets } = before;
    const { offsets } = links;
    const sum = countLinks({ ...links, patch: null }, targets);
    let entries = this.#entries.get(targets);
    if (!entries) this.#entries.set(targets, (entries = new Map()));
    const onEvict = () => {
      entries.delete(offsets);
      if (entries.size === 0) this.#entries.delete(targets);
    };
    const average = averageOf(before, links, sum);
    const entry = { sum, before, links, average, bytes: 0, onEvict };
    entries.set(offsets, entry);
    this.#registry.add(entry);
    return average;
  }
}

/** `sum` is the number of links without patches. */
function averageOf(before: Adjacency, links: Adjacency, sum: number): number {
  let count = sum + (links.patch ? links.patch.linkCount : 0);
  if (before.patch) for (const { targets } of before.patch.lists.values()) count += countLinks(links, targets);
  return count / Math.max(linkCountOf(before), 1);
}
