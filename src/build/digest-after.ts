import type { Adjacency, PolymorphicAdjacency } from '../store/adjacency.ts';
import type { Collection } from '../store/collection.ts';
import { deltaRowOf } from '../store/delta.ts';
import { type PatchedLinks, patchedLinks } from '../store/link-patch.ts';
import { readNumber } from '../store/read-value.ts';
import type { Store } from '../store/store.ts';
import { ContentDigest } from './content-digest.ts';
import { type OwningAttribute, owningAttributes } from './owned-links.ts';
import { storedList } from './patched-lists.ts';
import { type RowDigest, RowEncoder } from './row-digest.ts';

/**
 * Returns the content digest after a batch of changes, by the digests of the rows that it concerns: of those that died
 * and, by collection number, of those that have other values or other links. Takes a time that grows with these rows,
 * and with the lists that their links are in.
 */
export function digestAfter(
  before: Store,
  after: Store,
  upserted: ReadonlyMap<number, Iterable<number>>,
  relinked: ReadonlyMap<number, Iterable<number>>,
): string {
  const digest = new ContentDigest(before.contentDigest);
  const [earlier, later] = [new RowsOfStore(before), new RowsOfStore(after)];
  for (const [number, segment] of after.segments.entries()) {
    const segmentBefore = before.segments[number];
    const rows = new Set([...(upserted.get(number) ?? []), ...(relinked.get(number) ?? [])]);
    if (segment.dead !== segmentBefore.dead) {
      for (const row of segment.dead) if (segmentBefore.isLive(row)) rows.add(row);
    }
    for (const row of rows) {
      const existed = row < segmentBefore.rowCount && segmentBefore.isLive(row);
      if (existed) digest.subtract(earlier.digest(number, row));
      if (segment.isLive(row)) digest.add(later.digest(number, row));
    }
  }
  return digest.toString();
}

/** Digests single rows of a store that may have changes, as RowDigests does. */
class RowsOfStore {
  readonly #store: Store;
  readonly #encoder = new RowEncoder();
  readonly #attributes = new Map<number, readonly OwningAttribute[]>();

  constructor(store: Store) {
    this.#store = store;
  }

  digest(number: number, row: number): RowDigest {
    const { collection, delta, changed, published } = this.#store.segments[number];
    const isChanged = delta !== null && changed!.has(row);
    const { bytes, offsets, names } = isChanged ? delta.jsonRows[deltaRowOf(delta, row)] : collection.jsonRows;
    const first = isChanged ? 0 : row * (names.length + 1);
    const encoder = this.#encoder;
    const isDraft = published !== null && !published.has(row);
    const typeHash = encoder.hashOf(collection.type.uid);
    encoder.begin(typeHash, isDraft, bytes, offsets[first], offsets[first + names.length]);
    for (const attribute of this.#attributesOf(collection)) this.#addLinks(attribute, row);
    return encoder.digest();
  }

  #attributesOf(collection: Collection): readonly OwningAttribute[] {
    let attributes = this.#attributes.get(collection.number);
    if (!attributes) {
      attributes = owningAttributes(this.#store, collection);
      this.#attributes.set(collection.number, attributes);
    }
    return attributes;
  }

  #addLinks({ name, links, inverse }: OwningAttribute, row: number): void {
    const { targets, collections, inversePositions, shownBy } = linksOfRow(links, row);
    if (targets.length === 0) return;
    const encoder = this.#encoder;
    encoder.beginLinks(encoder.hashOf(name), targets.length);
    for (let i = 0; i < targets.length; i++) {
      const segment = this.#store.segments[inverse ? inverse.collection : collections![i]];
      const position = inverse
        ? positionOf(inverse.links, targets[i], row, countBefore(targets, i))
        : (inversePositions?.[i] ?? i);
      const id = readNumber(segment, targets[i], 'id')!;
      encoder.addLink(encoder.hashOf(segment.collection.type.uid), id, position, shownBy?.[i] ?? 0);
    }
  }
}

function linksOfRow(links: Adjacency | PolymorphicAdjacency, row: number): PatchedLinks {
  return (links.patch && patchedLinks(links.patch, row)) ?? storedList(links, row);
}

/** How many links before link `i` lead to the same target. */
function countBefore(targets: Uint32Array, i: number): number {
  let count = 0;
  for (let before = 0; before < i; before++) if (targets[before] === targets[i]) count++;
  return count;
}

/** Returns the position in the list of a row of its link to `source`, of which `skipped` come before it. */
function positionOf(reverse: Adjacency, row: number, source: number, skipped: number): number {
  const { targets, positions } = linksOfRow(reverse, row);
  let left = skipped;
  for (let i = 0; i < targets.length; i++) {
    if (targets[i] === source && left-- === 0) return positions?.[i] ?? i;
  }
  throw new Error(`row ${row} has no link back to row ${source}`);
}
