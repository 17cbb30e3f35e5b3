import { iota } from '../../../core/sets/row-set.ts';
import { isLocalizations, isPolymorphic, type LinkAttribute } from '../../../model/schema/schema.ts';
import type { Collection } from '../../collection.ts';
import {
  type Adjacency,
  type AdjacencyPair,
  adjacencyFromPairs,
  countedPositions,
  type PolymorphicAdjacency,
  positionAt,
} from '../../links/adjacency.ts';
import { type PatchedLinks, patchedLinks } from '../../links/link-patch.ts';
import { baseList, type GivenLink } from '../../overlay/patched-lists.ts';
import type { Store } from '../../store.ts';

/**
 * The links of one attribute that a snapshot gives, without patches. All other links of a store follow from these and
 * from rows.
 */
export interface OwnedLinks {
  /** The collection of the sources. */
  readonly collection: Collection;
  readonly attribute: string;
  readonly links: Adjacency;
  /** Reads single rows, with patches (`ownLinksOf`). */
  readonly owning: OwningAttribute;
  /** The number of the collection of the target of a link. */
  targetCollection(link: number): number;
  /** The position of a link in the list of its source, where it is item `i`. */
  position(link: number, i: number): number;
  /** Its position in the list of its target. */
  inversePosition(link: number, i: number): number;
  /** The number in `PolymorphicAdjacency.shownBy`. */
  shownBy(link: number): number;
}

export function ownedLinks(store: Pick<Store, 'schema' | 'collections'>): OwnedLinks[] {
  return store.collections.flatMap((collection) =>
    owningAttributes(store, collection).map((attribute) => ownedBy(collection, attribute)),
  );
}

/** An attribute whose links a snapshot gives, in a store that may have changes. */
export interface OwningAttribute {
  readonly name: string;
  readonly links: Adjacency | PolymorphicAdjacency;
  /** The same links seen from their targets, and the number of the targets' collection. Null for polymorphic links. */
  readonly inverse: { readonly links: Adjacency; readonly collection: number } | null;
}

/** Returns the attributes of a collection whose links are stored and do not belong to other attributes, in order. */
export function owningAttributes(
  store: Pick<Store, 'schema' | 'collections'>,
  collection: Collection,
): OwningAttribute[] {
  return Array.from(collection.type.attributes.values()).flatMap((attribute) =>
    attribute.kind === 'scalar' ? [] : (owningAttribute(store, collection, attribute) ?? []),
  );
}

/** Null for an attribute whose links are stored nowhere, or belong to another attribute. */
export function owningAttribute(
  { schema, collections }: Pick<Store, 'schema' | 'collections'>,
  collection: Collection,
  attribute: LinkAttribute,
): OwningAttribute | null {
  const { name } = attribute;
  if (isPolymorphic(attribute)) {
    const links = attribute.owner ? collection.polymorphic.get(name) : undefined;
    return links ? { name, links, inverse: null } : null;
  }
  const pair = collection.links.get(name);
  if (isLocalizations(attribute)) return pair?.forward.positions ? owningPair(name, pair, collection) : null;
  if (!schema.storesLinks(attribute)) return null;
  const target = collections.find(({ type }) => type.uid === attribute.target)!;
  if (pair) return owningPair(name, pair, target);
  // the links of a private attribute are those of its inverse side
  const inverse = target.links.get(attribute.inverse ?? '');
  return inverse ? owningPair(name, { forward: inverse.reverse, reverse: inverse.forward }, target) : null;
}

function owningPair(name: string, { forward, reverse }: AdjacencyPair, { number }: Collection): OwningAttribute {
  return { name, links: forward, inverse: { links: reverse, collection: number } };
}

function ownedBy(collection: Collection, owning: OwningAttribute): OwnedLinks {
  const { name, links, inverse } = owning;
  const position = (link: number, i: number) => positionAt(links.positions ?? countedPositions, link, i);
  if (inverse) {
    return {
      collection,
      attribute: name,
      links,
      owning,
      targetCollection: () => inverse.collection,
      position,
      inversePosition: inversePositionsOf({ forward: links, reverse: inverse.links }),
      shownBy: () => 0,
    };
  }
  const { collections, inversePositions, shownBy } = links as PolymorphicAdjacency;
  return {
    collection,
    attribute: name,
    links,
    owning,
    targetCollection: (link) => collections[link],
    position,
    inversePosition: (link, i) => positionAt(inversePositions ?? countedPositions, link, i),
    shownBy: (link) => shownBy?.[link] ?? 0,
  };
}

/**
 * Returns a function that finds the position of a link of `forward` in `reverse`. Its first call finds those of all links.
 */
function inversePositionsOf({ forward, reverse }: AdjacencyPair): (link: number) => number {
  const { values, first, step } = reverse.positions ?? countedPositions;
  if (!values && step === 0) return () => first;
  let known: Float64Array | null = null;
  return (link) => (known ??= inversePositions(forward, reverse))[link];
}

/**
 * Returns the position of each link of `forward` in the list of its target in `reverse`. Of several links between two
 * rows, the first of one side is paired with the first of the other.
 */
function inversePositions(forward: Adjacency, reverse: Adjacency): Float64Array {
  const positions = reverse.positions ?? countedPositions;
  const sourceCount = forward.offsets.length - 1;
  // the links of `reverse` by source, ascending by target
  const bySource = adjacencyFromPairs(reverse.targets, iota(reverse.targets.length), sourceCount);
  const targetOf = sourcesOf(reverse);
  const { offsets, targets } = forward;
  const found = new Float64Array(targets.length);
  for (let source = 0; source < sourceCount; source++) {
    const byTarget = linksByTarget(targets, offsets[source], offsets[source + 1]);
    for (let link = offsets[source]; link < offsets[source + 1]; link++) {
      const inverse = bySource.targets[link];
      const own = byTarget ? byTarget[link - offsets[source]] : link;
      found[own] = positionAt(positions, inverse, inverse - reverse.offsets[targetOf[inverse]]);
    }
  }
  return found;
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

/**
 * Returns the links of one row of an owning attribute, in order, in a store that may have changes. Looks for their
 * positions in the lists of their targets, which takes a time that grows with the length of these lists.
 */
export function ownLinksOf({ links, inverse }: OwningAttribute, row: number): GivenLink[] {
  const { targets, positions, collections, inversePositions, shownBy } = listOf(links, row);
  const inversePositionOf = inverse && positionsIn(inverse.links, row);
  return Array.from(targets, (target, i) => ({
    collection: inverse ? inverse.collection : collections![i],
    row: target,
    position: positions![i],
    inversePosition: inversePositionOf ? inversePositionOf(target) : inversePositions![i],
    shownBy: shownBy?.[i] ?? 0,
  }));
}

function listOf(links: Adjacency | PolymorphicAdjacency, row: number): PatchedLinks {
  return (links.patch && patchedLinks(links.patch, row)) ?? baseList(links, row);
}

/**
 * Returns a function that finds the position of the link to `source` in the list of a row. Of several such links, each
 * call finds the next. Looks through the list, unless all links have the same position: 50,000 links take about 50 µs.
 */
function positionsIn(reverse: Adjacency, source: number): (row: number) => number {
  const { offsets, targets: all, patch, positions } = reverse;
  const next = new Map<number, number>();
  return (row) => {
    const patched = patch && patchedLinks(patch, row);
    if (!patched && positions && !positions.values && positions.step === 0) return positions.first;
    const targets = patched ? patched.targets : all.subarray(offsets[row], offsets[row + 1]);
    const at = targets.indexOf(source, next.get(row) ?? 0);
    if (at < 0) throw new Error(`row ${row} has no link back to row ${source}`);
    next.set(row, at + 1);
    return patched ? patched.positions![at] : positionAt(positions ?? countedPositions, offsets[row] + at, at);
  };
}
