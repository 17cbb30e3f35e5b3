/** Positions in lists as a pull places links, so that a batch leads to the same content as a pull. */
import type { Schema } from '../../../model/schema/schema.ts';
import { hasPlainRoute } from '../rest-types.ts';

/** Whether a row is published. Types without drafts have published rows only. */
export type IsPublished = (id: number) => boolean;

/**
 * Returns the position of each item of a list, from 1. `holder` is the content type of the entry that has the list, itself
 * or in a component. Entries of a type without drafts list published and draft rows, which the API shows in lists of their
 * own, except for users.
 */
export function placesIn(schema: Schema, holder: string, ids: readonly number[], isPublished: IsPublished): number[] {
  if (isOneList(schema, holder)) return ids.map((_, i) => i + 1);
  let [published, drafts] = [0, 0];
  return ids.map((id) => (isPublished(id) ? ++published : ++drafts));
}

/** Returns the items of a list in the order of their positions, and of their ids at equal positions. */
export function inPlaceOrder<T extends { readonly id: number }>(
  schema: Schema,
  holder: string,
  items: readonly T[],
  isPublished: IsPublished,
): readonly T[] {
  if (items.length < 2 || isOneList(schema, holder)) return items;
  const ids = items.map(({ id }) => id);
  const places = placesIn(schema, holder, ids, isPublished);
  const order = Array.from(items.keys()).sort((a, b) => places[a] - places[b] || ids[a] - ids[b]);
  return order.map((i) => items[i]);
}

function isOneList(schema: Schema, holder: string): boolean {
  return schema.types.get(holder)?.draftAndPublish === true || hasPlainRoute(holder);
}
