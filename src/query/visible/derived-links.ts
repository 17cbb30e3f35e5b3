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
type Redirect = (target: number, collection: number) => number;

class Entry implements Derived {
  readonly onEvict: () => void;
  made: AdjacencyPair | PolymorphicAdjacency | null = null;
  /** What it was derived from. An earlier store is not kept for it. */
  links: WeakRef<Adjacency> | null = null;
  /** The versions of the segments at both ends. */
  versions = '';
  bytes = 0;

  constructor(onEvict: () => void) {
    this.onEvict = onEvict;
  }
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
    return this.redirected(segment, attribute, target, links, (row, collection) => (collection === number ? row : -1));
  }

  /** Returns links with other targets. `use` says what they are derived for. */
  redirected(segment: Segment, use: string, target: Segment, links: Adjacency, redirect: Redirect): AdjacencyPair {
    const versions = `${segment.version} ${target.version}`;
    return this.#find(`${segment.id} ${target.id} ${use}`, versions, links, () => {
      const { sources, targets } = redirected(links, redirect, segment.rowCount);
      const pair = {
        forward: adjacencyFromPairs(sources, targets, segment.rowCount),
        reverse: adjacencyFromPairs(targets, sources, target.rowCount),
      };
      return { made: pair, arrays: [pair.forward, pair.reverse].flatMap(({ offsets, targets: to }) => [offsets, to]) };
    });
  }

  /** The same for links to several collections. `ends` are the segments that `redirect` reads. */
  redirectedPolymorphic(
    segment: Segment,
    use: string,
    ends: readonly Segment[],
    links: PolymorphicAdjacency,
    redirect: Redirect,
  ): PolymorphicAdjacency {
    const versions = [segment, ...ends].map(({ version }) => version).join(' ');
    return this.#find(`${segment.id} ${use}`, versions, links, () => {
      const { sources, targets, collections } = redirected(links, redirect, segment.rowCount);
      const forward = adjacencyFromPairs(sources, targets, segment.rowCount);
      const made = { ...forward, collections, inversePositions: null, shownBy: null };
      return { made, arrays: [forward.offsets, targets, collections] };
    });
  }

  #find<Made extends AdjacencyPair | PolymorphicAdjacency>(
    key: string,
    versions: string,
    links: Adjacency,
    make: () => { made: Made; arrays: readonly { readonly byteLength: number }[] },
  ): Made {
    const entry = this.#known.get(key) ?? new Entry(() => this.#known.delete(key));
    if (entry.versions === versions && entry.links?.deref() === links) {
      this.#registry.use(entry);
      return entry.made as Made;
    }
    const { made, arrays } = make();
    entry.made = made;
    entry.links = new WeakRef(links);
    entry.versions = versions;
    entry.bytes = arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
    this.#known.set(key, entry);
    this.#registry.add(entry);
    return made;
  }
}

/** Links one by one, in the order of their sources. */
interface LinkList {
  readonly sources: Uint32Array;
  readonly targets: Uint32Array;
  /** All 0 if the links lead to one collection. */
  readonly collections: Uint16Array;
}

/** Returns links with other targets, each once in its list. */
function redirected(links: Adjacency, redirect: Redirect, rowCount: number): LinkList {
  const { offsets, targets, patch } = links;
  const { collections = null } = links as Partial<PolymorphicAdjacency>;
  const most = linkCountOf(links);
  const sources = new Uint32Array(most);
  const reached = new Uint32Array(most);
  const kinds = new Uint16Array(most);
  const known = new Set<number>();
  let length = 0;
  for (let row = 0; row < rowCount; row++) {
    const patched = patch && patchedLinks(patch, row);
    const list = patched ? patched.targets : targets;
    const listed = patched ? patched.collections : collections;
    const end = patched ? list.length : offsets[row + 1];
    known.clear();
    for (let i = patched ? 0 : offsets[row]; i < end; i++) {
      const collection = listed?.[i] ?? 0;
      const target = redirect(list[i], collection);
      const key = collection * 2 ** 32 + target;
      if (target < 0 || known.has(key)) continue;
      known.add(key);
      sources[length] = row;
      reached[length] = target;
      kinds[length++] = collection;
    }
  }
  return {
    sources: sources.slice(0, length),
    targets: reached.slice(0, length),
    collections: kinds.slice(0, length),
  };
}
