import {
  type Adjacency,
  type AdjacencyPair,
  adjacencyFromPairs,
  type PolymorphicAdjacency,
} from '../sets/adjacency.ts';
import type { Allocator } from '../sets/allocator.ts';
import { GrowableDoubles, GrowableNumbers } from '../sets/growable-buffers.ts';
import { iota } from '../sets/row-set.ts';

/** Collects the links of one owning attribute, by load ordinals, with their positions in the lists of both sides. */
export class AdjacencyBuilder {
  readonly #allocator: Allocator;
  readonly #place: string | undefined;
  readonly #sources: GrowableNumbers;
  readonly #targets: GrowableNumbers;
  readonly #targetCollections: GrowableNumbers;
  readonly #orders: GrowableDoubles;
  readonly #inverseOrders: GrowableDoubles;
  /** The only inverse attribute that shows a link, by link. Links without one are shown by every inverse attribute. */
  readonly #inverses = new Map<number, string>();

  /** `place` names the attribute in the error for too many links. */
  constructor(allocator: Allocator, place?: string) {
    this.#allocator = allocator;
    this.#place = place;
    this.#sources = new GrowableNumbers(place);
    this.#targets = new GrowableNumbers(place);
    this.#targetCollections = new GrowableNumbers(place);
    this.#orders = new GrowableDoubles(place);
    this.#inverseOrders = new GrowableDoubles(place);
  }

  /**
   * `order` is the position among the source's targets, `inverseOrder` that among the target's sources.
   */
  add(
    source: number,
    targetCollection: number,
    target: number,
    order: number,
    inverseOrder: number,
    inverse?: string,
  ): void {
    if (inverse !== undefined) this.#inverses.set(this.#sources.length, inverse);
    this.#sources.push(source);
    this.#targets.push(target);
    this.#targetCollections.push(targetCollection);
    this.#orders.push(order);
    this.#inverseOrders.push(inverseOrder);
  }

  /**
   * Both directions, for an attribute with one target type. Links with equal positions are in the order of the rows
   * that they lead to. `sourceRows` and `targetRows` map load ordinals to rows.
   */
  finishPair(sourceRows: Uint32Array, targetRows: Uint32Array): AdjacencyPair {
    const sources = this.#sources.toArray().map((ordinal) => sourceRows[ordinal]);
    const targets = this.#targets.toArray().map((ordinal) => targetRows[ordinal]);
    const forward = this.#linksBySource(sources, sourceRows.length, this.#orders, targets);
    const reverse = this.#linksBySource(targets, targetRows.length, this.#inverseOrders, sources);
    // replace the numbers of the links by the rows that they lead to
    replaceEach(forward.targets, (link) => targets[link]);
    replaceEach(reverse.targets, (link) => sources[link]);
    return { forward, reverse };
  }

  /**
   * For an attribute with several target types, whose rows have no common order: links with equal positions are in the
   * order of the other side. `rows` has the map from ordinals to rows of each collection.
   */
  finishPolymorphic(sourceRows: Uint32Array, rows: readonly Uint32Array[]): PolymorphicAdjacency {
    const sources = this.#sources.toArray().map((ordinal) => sourceRows[ordinal]);
    const inverseOrders = this.#inverseOrders.toArray();
    const links = this.#linksBySource(sources, sourceRows.length, this.#orders, inverseOrders);
    const collections = this.#allocator.uint16(links.targets.length);
    for (let i = 0; i < collections.length; i++) collections[i] = this.#targetCollections.at(links.targets[i]);
    replaceEach(links.targets, (link) => rows[this.#targetCollections.at(link)][this.#targets.at(link)]);
    return { ...links, collections };
  }

  /** Returns a builder with only those links to one collection that its attribute `inverse` shows. */
  only(collection: number, inverse: string): AdjacencyBuilder {
    const part = new AdjacencyBuilder(this.#allocator, this.#place);
    for (let i = 0; i < this.#sources.length; i++) {
      const shownBy = this.#inverses.get(i) ?? inverse;
      if (this.#targetCollections.at(i) !== collection || shownBy !== inverse) continue;
      part.add(this.#sources.at(i), collection, this.#targets.at(i), this.#orders.at(i), this.#inverseOrders.at(i));
    }
    return part;
  }

  /**
   * Appends the same links, seen from their targets, to `other`. `collection` is the collection of the sources. The
   * links keep both positions: Strapi lists the uses of a file by its position in the media list of each entry
   * (recorded in test/conformance/almanac).
   */
  appendReversedTo(other: AdjacencyBuilder, collection: number): void {
    for (let i = 0; i < this.#sources.length; i++) {
      const [source, target] = [this.#sources.at(i), this.#targets.at(i)];
      other.add(target, collection, source, this.#orders.at(i), this.#inverseOrders.at(i));
    }
  }

  /**
   * Returns the links of each source in ascending order of key, ties by `tieKeys` and then in the order of `add`. The
   * targets are numbers of links, which count calls of `add`.
   */
  #linksBySource(
    sources: Uint32Array,
    rowCount: number,
    keys: GrowableDoubles,
    tieKeys: Uint32Array | Float64Array,
  ): Adjacency {
    const bySource = adjacencyFromPairs(sources, iota(sources.length), rowCount, this.#allocator);
    const { offsets, targets: links } = bySource;
    const compare = (a: number, b: number) => keys.at(a) - keys.at(b) || tieKeys[a] - tieKeys[b] || a - b;
    for (let row = 0; row < rowCount; row++) {
      // most links are added in order
      for (let i = offsets[row] + 1; i < offsets[row + 1]; i++) {
        if (compare(links[i - 1], links[i]) <= 0) continue;
        links.subarray(offsets[row], offsets[row + 1]).sort(compare);
        break;
      }
    }
    return bySource;
  }
}

function replaceEach(numbers: Uint32Array, by: (number: number) => number): void {
  for (let i = 0; i < numbers.length; i++) numbers[i] = by(numbers[i]);
}
