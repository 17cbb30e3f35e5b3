import type { Steps } from '../../core/steps.ts';
import type { Collection } from '../collection.ts';
import { jsonOf, readNumber } from '../read-value.ts';
import type { Store } from '../store.ts';
import { type OwningAttribute, owningAttributes, ownLinksOf } from '../writer/links/owned-links.ts';
import { ContentDigest, type RowDigest, RowEncoder } from '../writer/rows/row-digest.ts';

/**
 * Returns the content digest after a batch of changes, by the digests of the rows that it concerns: of those that died
 * and, by collection number, of those that have other values or other links. Takes a time that grows with these rows,
 * and with the lists that their links are in. A step takes one row.
 */
export function* digestAfterInSteps(
  before: Store,
  after: Store,
  upserted: ReadonlyMap<number, Iterable<number>>,
  relinked: ReadonlyMap<number, Iterable<number>>,
): Steps<string> {
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
      yield;
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
    const segment = this.#store.segments[number];
    const { collection, published } = segment;
    const { rows, at } = jsonOf(segment, row);
    const encoder = this.#encoder;
    const isDraft = published !== null && !published.has(row);
    const typeHash = encoder.hashOf(collection.type.uid);
    encoder.begin(typeHash, isDraft, rows.bytes, ...rows.bounds(at));
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

  #addLinks(attribute: OwningAttribute, row: number): void {
    const encoder = this.#encoder;
    const links = ownLinksOf(attribute, row);
    if (links.length > 0) encoder.beginLinks(encoder.hashOf(attribute.name), links.length);
    for (const { collection, row: target, inversePosition, shownBy } of links) {
      const segment = this.#store.segments[collection];
      const id = readNumber(segment, target, 'id')!;
      encoder.addLink(encoder.hashOf(segment.collection.type.uid), id, inversePosition, shownBy);
    }
  }
}
