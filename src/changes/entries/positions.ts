import type { Position } from './node-patch.ts';

/** Returns a list with an item at a position, by default at the end. Items of positions are those of the list. */
export function inserted<Item>(items: readonly Item[], item: Item, position: Position<Item> | null): Item[] {
  const at = indexOf(items, position);
  return [...items.slice(0, at), item, ...items.slice(at)];
}

/** Whether a position is that next to an item. */
export function isNextTo<Item>(position: Position<Item>, item: Item): boolean {
  return 'before' in position ? position.before === item : 'after' in position && position.after === item;
}

function indexOf<Item>(items: readonly Item[], position: Position<Item> | null): number {
  if (!position || 'end' in position) return items.length;
  if ('start' in position) return 0;
  const isBefore = 'before' in position;
  const other = isBefore ? position.before : position.after;
  return items.indexOf(other) + (isBefore ? 0 : 1);
}
