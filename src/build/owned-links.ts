import { isLocalizations, isPolymorphic, type LinkAttribute } from '../model/schema.ts';
import { iota } from '../sets/row-set.ts';
import {
  type Adjacency,
  type AdjacencyPair,
  adjacencyFromPairs,
  type LinkPositions,
  positionAt,
} from '../store/adjacency.ts';
import type { Collection } from '../store/collection.ts';
import type { Store } from '../store/store.ts';

/** The links of one attribute that a snapshot gives. All other links of a store follow from these and from rows. */
export interface OwnedLinks {
  /** The collection of the sources. */
  readonly collection: Collection;
  readonly attribute: string;
  readonly links: Adjacency;
  /** The number of the collection of the target of a link. */
  targetCollection(link: number): number;
  /** The position of a link in the list of its source, of which it is item `i`. */
  position(link: number, i: number): number;
  /** Its position in the list of its target. */
  inversePosition(link: number, i: number): number;
  /** The number in `PolymorphicAdjacency.shownBy`. */
  shownBy(link: number): number;
}

/** The positions of links that lack them: those of an image of format 1. */
const counted: LinkPositions = { values: null, first: 0, step: 1 };

export function ownedLinks(store: Pick<Store, 'schema' | 'collections'>): OwnedLinks[] {
  return store.collections.flatMap((collection) =>
    Array.from(collection.type.attributes.values()).flatMap((attribute) => {
      if (attribute.kind === 'scalar') return [];
      return linksOf(store, collection, attribute) ?? [];
    }),
  );
}

/** Null for an attribute whose links are stored nowhere, or belong to another attribute. */
function linksOf(
  { schema, collections }: Pick<Store, 'schema' | 'collections'>,
  collection: Collection,
  attribute: LinkAttribute,
): OwnedLinks | null {
  const { name } = attribute;
  if (isPolymorphic(attribute)) return attribute.owner ? polymorphicLinks(collection, name) : null;
  const pair = collection.links.get(name);
  if (isLocalizations(attribute)) return pair?.forward.positions ? pairLinks(collection, name, pair, collection) : null;
  if (!schema.storesLinks(attribute)) return null;
  const target = collections.find(({ type }) => type.uid === attribute.target)!;
  if (pair) return pairLinks(collection, name, pair, target);
  // the links of a private attribute are those of its inverse side
  const inverse = target.links.get(attribute.inverse ?? '');
  return inverse ? pairLinks(collection, name, { forward: inverse.reverse, reverse: inverse.forward }, target) : null;
}

function polymorphicLinks(collection: Collection, attribute: string): OwnedLinks | null {
  const links = collection.polymorphic.get(attribute);
  if (!links) return null;
  const { collections, positions, inversePositions, shownBy } = links;
  return {
    collection,
    attribute,
    links,
    targetCollection: (link) => collections[link],
    position: (link, i) => positionAt(positions ?? counted, link, i),
    inversePosition: (link, i) => positionAt(inversePositions ?? counted, link, i),
    shownBy: (link) => shownBy?.[link] ?? 0,
  };
}

function pairLinks(collection: Collection, attribute: string, pair: AdjacencyPair, { number }: Collection): OwnedLinks {
  const { positions } = pair.forward;
  return {
    collection,
    attribute,
    links: pair.forward,
    targetCollection: () => number,
    position: (link, i) => positionAt(positions ?? counted, link, i),
    inversePosition: inversePositionsOf(pair),
    shownBy: () => 0,
  };
}

/** Returns a function that finds the position of a link of `forward` in `reverse`. */
function inversePositionsOf({ forward, reverse }: AdjacencyPair): (link: number) => number {
  const { values, first, step } = reverse.positions ?? counted;
  if (!values && step === 0) return () => first;
  const inverse = new Float64Array(forward.targets.length);
  eachInverse(forward, reverse, (link, inverseLink, i) => {
    inverse[link] = values ? values[inverseLink] : first + i * step;
  });
  return (link) => inverse[link];
}

/**
 * Pairs each link with the same link seen from its target, which is item `i` of its list there. Of several links
 * between two rows, the first of one side is paired with the first of the other.
 */
function eachInverse(
  forward: Adjacency,
  reverse: Adjacency,
  found: (link: number, inverseLink: number, i: number) => void,
): void {
  const sourceCount = forward.offsets.length - 1;
  // the links of `reverse` by source, ascending by target
  const bySource = adjacencyFromPairs(reverse.targets, iota(reverse.targets.length), sourceCount);
  const targetOf = sourcesOf(reverse);
  const { offsets, targets } = forward;
  for (let source = 0; source < sourceCount; source++) {
    const byTarget = linksByTarget(targets, offsets[source], offsets[source + 1]);
    for (let link = offsets[source]; link < offsets[source + 1]; link++) {
      const inverseLink = bySource.targets[link];
      const own = byTarget ? byTarget[link - offsets[source]] : link;
      found(own, inverseLink, inverseLink - reverse.offsets[targetOf[inverseLink]]);
    }
  }
}

/** Returns the links from `start` to `end` in the order of their targets; null if they are in it, as most are. */
function linksByTarget(targets: Uint32Array, start: number, end: number): Uint32Array | null {
  for (let link = start + 1; link < end; link++) {
    if (targets[link - 1] <= targets[link]) continue;
    return Uint32Array.from({ length: end - start }, (_, i) => start + i).sort((a, b) => targets[a] - targets[b]);
  }
  return null;
}

/** Returns the source of each link. */
function sourcesOf({ offsets, targets }: Adjacency): Uint32Array {
  const sources = new Uint32Array(targets.length);
  for (let row = 0; row + 1 < offsets.length; row++) sources.fill(row, offsets[row], offsets[row + 1]);
  return sources;
}
