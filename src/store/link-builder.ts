import { type LinkPair, linksFromPairs, type PolymorphicLinks } from '../sets/links.ts';
import { GrowableNumbers } from './growable.ts';

/** Collects the connections of one owning attribute, in arrival numbers, with their places in the lists of both sides. */
export class LinkBuilder {
  readonly #sources = new GrowableNumbers();
  readonly #targets = new GrowableNumbers();
  readonly #targetCollections = new GrowableNumbers();
  readonly #orders: number[] = [];
  readonly #inverseOrders: number[] = [];
  readonly #inverses: (string | undefined)[] = [];

  /** `order` is the place among the source's targets, `inverseOrder` that among the target's sources; ties stay. */
  add(
    source: number,
    targetCollection: number,
    target: number,
    order: number,
    inverseOrder: number,
    inverse?: string,
  ): void {
    this.#sources.push(source);
    this.#targets.push(target);
    this.#targetCollections.push(targetCollection);
    this.#orders.push(order);
    this.#inverseOrders.push(inverseOrder);
    this.#inverses.push(inverse);
  }

  /** Both directions, for an attribute with one target type. `rows` map arrival numbers to rows. */
  finishPair(sourceRows: Uint32Array, targetRows: Uint32Array): LinkPair {
    const sources = this.#sources.toArray().map((arrival) => sourceRows[arrival]);
    const targets = this.#targets.toArray().map((arrival) => targetRows[arrival]);
    return {
      forward: linksFromPairs(sources, targets, sourceRows.length, sortedOrder(this.#orders, targets)),
      reverse: linksFromPairs(targets, sources, targetRows.length, sortedOrder(this.#inverseOrders, sources)),
    };
  }

  /** For an attribute that leads to several types. `rows` holds the map of each collection, by its number. */
  finishPolymorphic(sourceRows: Uint32Array, rows: readonly Uint32Array[]): PolymorphicLinks {
    const sources = this.#sources.toArray().map((arrival) => sourceRows[arrival]);
    const collections = this.#targetCollections.toArray();
    const targets = this.#targets.toArray().map((arrival, i) => rows[collections[i]][arrival]);
    const order = sortedOrder(this.#orders, Uint32Array.from(this.#inverseOrders));
    const { offsets, targets: sortedTargets } = linksFromPairs(sources, targets, sourceRows.length, order);
    const sorted = linksFromPairs(sources, collections, sourceRows.length, order);
    return { offsets, targets: sortedTargets, collections: Uint16Array.from(sorted.targets) };
  }

  /** The connections that lead to one collection and show there as `inverse`, as a builder of its own. */
  only(collection: number, inverse: string): LinkBuilder {
    const part = new LinkBuilder();
    const sources = this.#sources.toArray();
    const targets = this.#targets.toArray();
    this.#targetCollections.toArray().forEach((number, i) => {
      const isShown = this.#inverses[i] === undefined || this.#inverses[i] === inverse;
      if (number === collection && isShown)
        part.add(sources[i], number, targets[i], this.#orders[i], this.#inverseOrders[i]);
    });
    return part;
  }

  /** The same connections seen from their targets, appended to `other`; `collection` is that of the sources. */
  appendReversedTo(other: LinkBuilder, collection: number): void {
    const sources = this.#sources.toArray();
    this.#targets.toArray().forEach((target, i) => {
      other.add(target, collection, sources[i], this.#orders[i], this.#inverseOrders[i]);
    });
  }
}

/** The numbers of `keys` in ascending order of key, ties by `second` and then as they stand; nothing if in order. */
function sortedOrder(keys: readonly number[], second?: Uint32Array): Uint32Array | undefined {
  const compare = (a: number, b: number) => keys[a] - keys[b] || (second ? second[a] - second[b] : 0) || a - b;
  let inOrder = true;
  for (let i = 1; i < keys.length && inOrder; i++) inOrder = compare(i - 1, i) <= 0;
  return inOrder ? undefined : Uint32Array.from(keys.keys()).sort(compare);
}
