import type { LinkList } from './link-list.ts';

/** Gives positions to the links that have none (NaN): after the others of their list, in the order of the list. */
export function placeLinks(links: LinkList): void {
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
