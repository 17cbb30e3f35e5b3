import { type AdjacencyPair, adjacencyFromPairs, type PolymorphicAdjacency } from '../sets/adjacency.ts';
import { GrowableDoubles, GrowableNumbers } from '../sets/growable-buffers.ts';
import { iota } from '../sets/row-set.ts';

/**
 * Collects the connections of one owning attribute, in arrival numbers, with their places in the lists of both sides.
 */
export class AdjacencyBuilder {
  readonly #sources = new GrowableNumbers();
  readonly #targets = new GrowableNumbers();
  readonly #targetCollections = new GrowableNumbers();
  readonly #orders = new GrowableDoubles();
  readonly #inverseOrders = new GrowableDoubles();
  /** By connection, for those that not every attribute of the other side shows. */
  readonly #inverses = new Map<number, string>();

  /** `order` is the place among the source's targets, `inverseOrder` that among the target's sources; ties stay. */
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

  /** Both directions, for an attribute with one target type. `rows` map arrival numbers to rows. */
  finishPair(sourceRows: Uint32Array, targetRows: Uint32Array): AdjacencyPair {
    const sources = this.#sources.toArray().map((arrival) => sourceRows[arrival]);
    const targets = this.#targets.toArray().map((arrival) => targetRows[arrival]);
    const forward = pairsBySource(sources, sourceRows.length, this.#orders, targets);
    const reverse = pairsBySource(targets, targetRows.length, this.#inverseOrders, sources);
    return {
      forward: { offsets: forward.offsets, targets: forward.pairs.map((pair) => targets[pair]) },
      reverse: { offsets: reverse.offsets, targets: reverse.pairs.map((pair) => sources[pair]) },
    };
  }

  /** For an attribute that leads to several types. `rows` holds the map of each collection, by its number. */
  finishPolymorphic(sourceRows: Uint32Array, rows: readonly Uint32Array[]): PolymorphicAdjacency {
    const sources = this.#sources.toArray().map((arrival) => sourceRows[arrival]);
    const targets = this.#targets.toArray();
    const collections = this.#targetCollections.toArray();
    const inverseOrders = this.#inverseOrders.toArray();
    const { offsets, pairs } = pairsBySource(sources, sourceRows.length, this.#orders, inverseOrders);
    return {
      offsets,
      targets: pairs.map((pair) => rows[collections[pair]][targets[pair]]),
      collections: Uint16Array.from(pairs, (pair) => collections[pair]),
    };
  }

  /** The connections that lead to one collection and show there as `inverse`, as a builder of its own. */
  only(collection: number, inverse: string): AdjacencyBuilder {
    const part = new AdjacencyBuilder();
    for (let i = 0; i < this.#sources.length; i++) {
      const shown = this.#inverses.get(i) ?? inverse;
      if (this.#targetCollections.at(i) !== collection || shown !== inverse) continue;
      part.add(this.#sources.at(i), collection, this.#targets.at(i), this.#orders.at(i), this.#inverseOrders.at(i));
    }
    return part;
  }

  /** The same connections seen from their targets, appended to `other`; `collection` is that of the sources. */
  appendReversedTo(other: AdjacencyBuilder, collection: number): void {
    for (let i = 0; i < this.#sources.length; i++) {
      const [source, target] = [this.#sources.at(i), this.#targets.at(i)];
      other.add(target, collection, source, this.#orders.at(i), this.#inverseOrders.at(i));
    }
  }
}

/**
 * The numbers of the pairs of each source behind one another: in ascending order of key, ties by `second` and then as
 * they stand. Mostly they stand so already.
 */
function pairsBySource(
  sources: Uint32Array,
  rowCount: number,
  keys: GrowableDoubles,
  second: Uint32Array | Float64Array,
): { offsets: Uint32Array; pairs: Uint32Array } {
  const { offsets, targets: pairs } = adjacencyFromPairs(sources, iota(sources.length), rowCount);
  const compare = (a: number, b: number) => keys.at(a) - keys.at(b) || second[a] - second[b] || a - b;
  for (let row = 0; row < rowCount; row++) {
    for (let i = offsets[row] + 1; i < offsets[row + 1]; i++) {
      if (compare(pairs[i - 1], pairs[i]) <= 0) continue;
      pairs.subarray(offsets[row], offsets[row + 1]).sort(compare);
      break;
    }
  }
  return { offsets, pairs };
}
