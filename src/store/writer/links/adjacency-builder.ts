import { GrowableDoubles, GrowableNumbers } from '../../../core/memory/growable-buffers.ts';
import type { LinkList } from './link-list.ts';

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

/** Gives positions to the links that have none (NaN): after the others of their list, in the order of the list. */
function placeLinks(links: LinkList): void {
  if (links.orders.some(Number.isNaN)) placeAmongTargets(links);
  if (links.inverseOrders.some(Number.isNaN)) placeAmongSources(links);
}

/** Counts the targets of each source, so that positions depend on no other source. */
function placeAmongTargets({ sources, orders }: LinkList): void {
  const next = new Map<number, number>();
  for (let link = 0; link < orders.length; link++) {
    const source = sources[link];
    if (orders[link] >= (next.get(source) ?? 0)) next.set(source, Math.floor(orders[link]) + 1);
  }
  for (let link = 0; link < orders.length; link++) {
    if (!Number.isNaN(orders[link])) continue;
    const order = next.get(sources[link]) ?? 0;
    orders[link] = order;
    next.set(sources[link], order + 1);
  }
}

/**
 * Links with equal positions are in the order of their sources. If that is the order of the list, all get the same
 * position, so that it depends on no other link.
 */
function placeAmongSources({ sources, targets, collections, inverseOrders }: LinkList): void {
  const lists = new Map<number, { next: number; last: number; isInOrder: boolean }>();
  const listOf = (link: number) => {
    const target = collections[link] * 2 ** 32 + targets[link];
    const known = lists.get(target);
    if (known) return known;
    const list = { next: 0, last: 0, isInOrder: true };
    lists.set(target, list);
    return list;
  };
  for (let link = 0; link < inverseOrders.length; link++) {
    const list = listOf(link);
    const isGiven = !Number.isNaN(inverseOrders[link]);
    if (isGiven) list.next = Math.max(list.next, Math.floor(inverseOrders[link]) + 1);
    list.isInOrder &&= !isGiven && list.last <= sources[link];
    list.last = sources[link];
  }
  for (let link = 0; link < inverseOrders.length; link++) {
    if (!Number.isNaN(inverseOrders[link])) continue;
    const list = listOf(link);
    inverseOrders[link] = list.isInOrder ? 0 : list.next++;
  }
}
