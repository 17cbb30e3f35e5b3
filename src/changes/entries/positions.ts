import { formatNumber } from '../../core/problems.ts';
import type { Position } from './node-patch.ts';

/** Adds an item to a list at a position, by default at the end. Items of positions are those of the list. */
export function insert<Item>(items: Item[], item: Item, position: Position<Item> | null): void {
  items.splice(indexOf(items, position), 0, item);
}

/** Removes the first occurrence of an item that the list holds. */
export function remove<Item>(items: Item[], item: Item): void {
  items.splice(items.indexOf(item), 1);
}

/** Whether a position is that next to an item. */
export function isNextTo<Item>(position: Position<Item>, item: Item): boolean {
  return 'before' in position ? position.before === item : 'after' in position && position.after === item;
}

function indexOf<Item>(items: readonly Item[], position: Position<Item> | null): number {
  if (!position || 'end' in position) return items.length;
  if ('start' in position) return 0;
  const isBefore = 'before' in position;
  return items.indexOf(isBefore ? position.before : position.after) + (isBefore ? 0 : 1);
}

/** Maximum product of the length of a list and the places in it that one operation looks for: about 20 ms. */
const maxSteps = 10_000_000;

/** Returns a message if an operation would take too long. */
export function tooManyPlaces(length: number, places: number): string | null {
  if (length * places <= maxSteps) return null;
  const [one, other] = [places, length].map(formatNumber);
  return `looks for ${one} places in a list of ${other}, which takes too long: give the whole list by "set"`;
}
