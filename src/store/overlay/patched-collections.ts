import type { Collection } from '../collection.ts';
import type { AdjacencyPair, PolymorphicAdjacency } from '../links/adjacency.ts';
import type { Segment } from '../segment.ts';

/** The links of one collection that differ after a batch. */
interface PatchedCollection {
  readonly links: Map<string, AdjacencyPair>;
  readonly polymorphic: Map<string, PolymorphicAdjacency>;
  versions: AdjacencyPair | null;
}

/** Collects the links that differ after a batch, and puts them into segments. */
export class PatchedCollections {
  /** By collection number. */
  readonly #patched = new Map<number, PatchedCollection>();

  setPair(collection: number, attribute: string, pair: AdjacencyPair): void {
    this.#of(collection).links.set(attribute, pair);
  }

  setPolymorphic(collection: number, attribute: string, links: PolymorphicAdjacency): void {
    this.#of(collection).polymorphic.set(attribute, links);
  }

  setVersions(collection: number, pair: AdjacencyPair): void {
    this.#of(collection).versions = pair;
  }

  /** Returns the segments with these links; the same ones if no links of their collection differ. */
  putInto(segments: readonly Segment[]): Segment[] {
    return segments.map((segment, number) => {
      const patched = this.#patched.get(number);
      if (!patched) return segment;
      const { collection } = segment;
      const { links, polymorphic, versions } = patched;
      const replaced: Collection = {
        ...collection,
        links: links.size > 0 ? new Map([...collection.links, ...links]) : collection.links,
        polymorphic:
          polymorphic.size > 0 ? new Map([...collection.polymorphic, ...polymorphic]) : collection.polymorphic,
        versions: versions ?? collection.versions,
      };
      return segment.withCollection(Object.freeze(replaced));
    });
  }

  #of(collection: number): PatchedCollection {
    let patched = this.#patched.get(collection);
    if (!patched)
      this.#patched.set(collection, (patched = { links: new Map(), polymorphic: new Map(), versions: null }));
    return patched;
  }
}
