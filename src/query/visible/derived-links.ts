/** Links that are derived from those of the store on first use, for features that follow them otherwise. */

import {
  type Adjacency,
  type AdjacencyPair,
  adjacencyFromPairs,
  type PolymorphicAdjacency,
} from '../../store/links/adjacency.ts';
import { linkCountOf } from '../../store/links/link-counts.ts';
import { patchedLinks } from '../../store/links/link-patch.ts';
import type { Segment } from '../../store/segment.ts';
import type { Derived, DerivedRegistry } from './registry.ts';

/** Returns the row that a link leads to in place of `target`; -1 for none. */
type Redirect = (target: number, collection?: number) => number;

interface Entry extends Derived {
  readonly pair: AdjacencyPair;
  /** What it was derived from. */
  readonly links: Adjacency;
  readonly source: number;
  readonly target: number;
}

/**
 * Derived links by what they are derived for. Those of a segment that has changed are derived anew, which takes a time
 * linear in its links and the rows at both ends.
 */
export class DerivedLinks {
  readonly #registry: DerivedRegistry;
  readonly #known = new Map<string, Entry>();

  constructor(registry: DerivedRegistry) {
    this.#registry = registry;
  }

  /** Returns the links of a dynamic zone to components of one type. */
  toComponents(segment: Segment, attribute: string, target: Segment): AdjacencyPair {
    const links = segment.collection.polymorphic.get(attribute)!;
    const { number } = target.collection;
    const key = `${segment.id} ${target.id} ${attribute}`;
    return this.#find(key, segment, target, links, (row, collection) => (collection === number ? row : -1));
  }

  #find(key: string, segment: Segment, target: Segment, links: Adjacency, redirect: Redirect): AdjacencyPair {
    const known = this.#known.get(key);
    if (known?.links === links && known.source === segment.version && known.target === target.version) {
      this.#registry.use(known);
      return known.pair;
    }
    const pair = redirected(links, redirect, segment.rowCount, target.rowCount);
    const bytes = [pair.forward, pair.reverse].reduce(
      (sum, { offsets, targets }) => sum + offsets.byteLength + targets.byteLength,
      0,
    );
    const onEvict = () => {
      if (this.#known.get(key) === entry) this.#known.delete(key);
    };
    const entry: Entry = { pair, links, source: segment.version, target: target.version, bytes, onEvict };
    this.#known.set(key, entry);
    this.#registry.add(entry);
    return pair;
  }
}

/** Returns links with other targets, each once in its list. */
function redirected(links: Adjacency, redirect: Redirect, rowCount: number, targetCount: number): AdjacencyPair {
  const { offsets, targets, patch } = links;
  const { collections = null } = links as Partial<PolymorphicAdjacency>;
  const most = linkCountOf(links);
  const from = new Uint32Array(most);
  const to = new Uint32Array(most);
  // one more than the last row that leads to the target
  const last = new Uint32Array(targetCount);
  let length = 0;
  for (let row = 0; row < rowCount; row++) {
    const patched = patch && patchedLinks(patch, row);
    const list = patched ? patched.targets : targets;
    const kinds = patched ? (patched.collections ?? null) : collections;
    const end = patched ? list.length : offsets[row + 1];
    for (let i = patched ? 0 : offsets[row]; i < end; i++) {
      const target = redirect(list[i], kinds?.[i]);
      if (target < 0 || last[target] === row + 1) continue;
      last[target] = row + 1;
      from[length] = row;
      to[length++] = target;
    }
  }
  const sources = from.subarray(0, length);
  const reached = to.subarray(0, length);
  return {
    forward: adjacencyFromPairs(sources, reached, rowCount),
    reverse: adjacencyFromPairs(reached, sources, targetCount),
  };
}
