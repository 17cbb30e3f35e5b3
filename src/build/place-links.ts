import type { LinkList } from './link-list.ts';

/** Gives positions to the links that have none (NaN): after the others of their list, in the order of the list. */
export function placeLinks({ sources, orders, inverseOrders }: LinkList): void {
  if (orders.some(Number.isNaN)) placeAmongTargets(sources, orders);
  if (inverseOrders.some(Number.isNaN)) placeAmongSources(sources, inverseOrders);
}

/** Counts the targets of each source, so that positions depend on no other source. */
function placeAmongTargets(sources: Uint32Array, orders: Float64Array): void {
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
function placeAmongSources(sources: Uint32Array, inverseOrders: Float64Array): void {
  const isAscending = sources.every((source, link) => link === 0 || sources[link - 1] <= source);
  if (isAscending && inverseOrders.every(Number.isNaN)) {
    inverseOrders.fill(0);
    return;
  }
  const last = inverseOrders.reduce((greatest, order) => (order > greatest ? order : greatest), 0);
  for (let link = 0; link < inverseOrders.length; link++) {
    if (Number.isNaN(inverseOrders[link])) inverseOrders[link] = Math.floor(last) + 1 + link;
  }
}
