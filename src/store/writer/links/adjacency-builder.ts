import { GrowableDoubles, GrowableNumbers } from '../../../core/memory/growable-buffers.ts';
import type { LinkList } from './link-list.ts';
import { placeLinks } from './place-links.ts';

/** Collects the links of one owning attribute, by load ordinals, with their positions in the lists of both sides. */
export class AdjacencyBuilder {
  readonly #sources: GrowableNumbers;
  readonly #targets: GrowableNumbers;
  readonly #targetCollections: GrowableNumbers;
  readonly #orders: GrowableDoubles;
  readonly #inverseOrders: GrowableDoubles;
  readonly #shownBy = new Map<number, string>();

  /** `place` names the attribute in the error for too many links. */
  constructor(place?: string) {
    this.#sources = new GrowableNumbers(place);
    this.#targets = new GrowableNumbers(place);
    this.#targetCollections = new GrowableNumbers(place);
    this.#orders = new GrowableDoubles(place);
    this.#inverseOrders = new GrowableDoubles(place);
  }

  /**
   * `order` is the position among the source's targets, `inverseOrder` that among the target's sources. Links without
   * one (null) come last, in the order in which they are added. Only the inverse attribute `inverse` shows the link.
   */
  add(
    source: number,
    targetCollection: number,
    target: number,
    order: number | null,
    inverseOrder: number | null,
    inverse?: string,
  ): void {
    if (inverse !== undefined) this.#shownBy.set(this.#sources.length, inverse);
    this.#sources.push(source);
    this.#targets.push(target);
    this.#targetCollections.push(targetCollection);
    this.#orders.push((order ?? Number.NaN) + 0);
    this.#inverseOrders.push((inverseOrder ?? Number.NaN) + 0);
  }

  /** Returns the links of rows. `rows` maps the load ordinals of each collection to rows. The builder is empty then. */
  finish(sourceCollection: number, rows: readonly Uint32Array[]): LinkList {
    const collections = this.#targetCollections.take();
    const list = {
      sources: this.#sources.take().map((ordinal) => rows[sourceCollection][ordinal]),
      targets: this.#targets.take().map((ordinal, link) => rows[collections[link]][ordinal]),
      collections,
      orders: this.#orders.take(),
      inverseOrders: this.#inverseOrders.take(),
      shownBy: this.#shownBy,
    };
    placeLinks(list);
    return list;
  }
}
