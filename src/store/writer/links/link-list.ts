import type { Allocator } from '../../../core/memory/allocator.ts';
import { iota } from '../../../core/sets/row-set.ts';
import {
  type Adjacency,
  type AdjacencyPair,
  adjacencyFromPairs,
  type LinkPositions,
  type PolymorphicAdjacency,
} from '../../links/adjacency.ts';

/** The links of one owning attribute between rows. */
export interface LinkList {
  readonly sources: Uint32Array;
  readonly targets: Uint32Array;
  /** The number of the collection of each target. */
  readonly collections: Uint32Array;
  /** The positions among the targets of the source, and among the sources of the target. */
  readonly orders: Float64Array;
  readonly inverseOrders: Float64Array;
  /** The only inverse attribute that shows a link, by link. Links without one are shown by every inverse attribute. */
  readonly shownBy: ReadonlyMap<number, string>;
}

/**
 * Returns both directions, for an attribute with one target type. Links with equal positions are in the order of the
 * rows that they lead to.
 */
export function adjacencyPair(
  { sources, targets, orders, inverseOrders }: LinkList,
  sourceRowCount: number,
  targetRowCount: number,
  allocator: Allocator,
): AdjacencyPair {
  const forward = linksBySource(sources, sourceRowCount, [orders, targets], allocator);
  const reverse = linksBySource(targets, targetRowCount, [inverseOrders, sources], allocator);
  const positions = packPositions(forward, orders, allocator);
  const reversePositions = packPositions(reverse, inverseOrders, allocator);
  replaceEach(forward.targets, targets);
  replaceEach(reverse.targets, sources);
  return { forward: { ...forward, positions }, reverse: { ...reverse, positions: reversePositions } };
}

/**
 * Returns the links of an attribute with several target types. Links with equal positions are in the order of the other
 * side, then in that of their targets' types and rows. `inverseNumber` gives the number in `shownBy` of an attribute of
 * a collection.
 */
export function polymorphicAdjacency(
  { sources, targets, collections, orders, inverseOrders, shownBy }: LinkList,
  rowCount: number,
  inverseNumber: (collection: number, attribute: string) => number,
  allocator: Allocator,
): PolymorphicAdjacency {
  const links = linksBySource(sources, rowCount, [orders, inverseOrders, collections, targets], allocator);
  const positions = packPositions(links, orders, allocator);
  const inversePositions = packPositions(links, inverseOrders, allocator);
  const collectionOf = allocator.uint16(sources.length);
  const shown = shownBy.size > 0 ? allocator.uint16(sources.length) : null;
  for (let i = 0; i < sources.length; i++) {
    const link = links.targets[i];
    collectionOf[i] = collections[link];
    const inverse = shownBy.get(link);
    if (shown && inverse !== undefined) shown[i] = inverseNumber(collections[link], inverse);
  }
  replaceEach(links.targets, targets);
  return { ...links, positions, collections: collectionOf, inversePositions, shownBy: shown };
}

/** Returns only those links to one collection that its attribute `inverse` shows. */
export function linksShownBy(list: LinkList, collection: number, inverse: string): LinkList {
  const { sources, targets, collections, orders, inverseOrders, shownBy } = list;
  const shown = iota(sources.length).filter(
    (link) => collections[link] === collection && (shownBy.get(link) ?? inverse) === inverse,
  );
  return {
    sources: shown.map((link) => sources[link]),
    targets: shown.map((link) => targets[link]),
    collections: shown.map((link) => collections[link]),
    orders: Float64Array.from(shown, (link) => orders[link]),
    inverseOrders: Float64Array.from(shown, (link) => inverseOrders[link]),
    shownBy: new Map(),
  };
}

/** What links are sorted by: the first key of each link, then the others. */
type LinkKeys = readonly (Uint32Array | Float64Array)[];

/** Returns the links of each source in the order of their keys, then in that of the links. The targets are numbers of links. */
export function linksBySource(sources: Uint32Array, rowCount: number, keys: LinkKeys, allocator: Allocator): Adjacency {
  const bySource = adjacencyFromPairs(sources, iota(sources.length), rowCount, allocator);
  const { offsets, targets: links } = bySource;
  for (let row = 0; row < rowCount; row++) {
    // most links are added in order
    if (areInOrder(links, offsets[row], offsets[row + 1], keys)) continue;
    links.subarray(offsets[row], offsets[row + 1]).sort((a, b) => compareLinks(a, b, keys) || a - b);
  }
  return bySource;
}

function areInOrder(links: Uint32Array, start: number, end: number, keys: LinkKeys): boolean {
  for (let i = start + 1; i < end; i++) if (compareLinks(links[i - 1], links[i], keys) > 0) return false;
  return true;
}

function compareLinks(a: number, b: number, keys: LinkKeys): number {
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    if (key[a] !== key[b]) return key[a] - key[b];
  }
  return 0;
}

/** Replaces each number by the item of `items` with that number. */
export function replaceEach(numbers: Uint32Array, items: Uint32Array): void {
  for (let i = 0; i < numbers.length; i++) numbers[i] = items[numbers[i]];
}

/**
 * Stores the positions of links in as little memory as they allow. The targets of `links` are numbers of links, by
 * which `keys` has the positions.
 */
function packPositions(
  { offsets, targets: links }: Adjacency,
  keys: Float64Array,
  allocator: Allocator,
): LinkPositions {
  const first = links.length > 0 ? keys[links[0]] : 0;
  for (const step of [1, 0]) {
    if (isEvenlySpaced(offsets, links, keys, first, step)) return { values: null, first, step };
  }
  const isWhole = keys.every((key) => key >>> 0 === key);
  const values = isWhole ? allocator.uint32(links.length) : allocator.float64(links.length);
  for (let i = 0; i < links.length; i++) values[i] = keys[links[i]];
  return { values, first: 0, step: 0 };
}

function isEvenlySpaced(
  offsets: Uint32Array,
  links: Uint32Array,
  keys: Float64Array,
  first: number,
  step: number,
): boolean {
  for (let row = 0; row + 1 < offsets.length; row++) {
    const start = offsets[row];
    for (let i = start; i < offsets[row + 1]; i++) if (keys[links[i]] !== first + (i - start) * step) return false;
  }
  return true;
}
