import type { Adjacency, AdjacencyPair } from '../links/adjacency.ts';
import { Segment } from '../segment.ts';
import { createStore, type Store } from '../store.ts';

/** Returns the store over the same arrays without its changes. It keeps the digest and the locales of the given one. */
export function baseOf(store: Store): Store {
  const segments = store.collections.map((collection) => {
    const { links, polymorphic, versions } = collection;
    const base = {
      ...collection,
      links: new Map(Array.from(links, ([name, pair]) => [name, unpatchedPair(pair)])),
      polymorphic: new Map(Array.from(polymorphic, ([name, one]) => [name, unpatched(one)])),
      versions: versions && unpatchedPair(versions),
    };
    return new Segment(Object.freeze(base));
  });
  return createStore(store, segments);
}

function unpatchedPair({ forward, reverse }: AdjacencyPair): AdjacencyPair {
  return { forward: unpatched(forward), reverse: unpatched(reverse) };
}

function unpatched<Links extends Adjacency>(links: Links): Links {
  return links.patch ? { ...links, patch: null } : links;
}
