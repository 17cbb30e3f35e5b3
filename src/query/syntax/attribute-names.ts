/** Which names of a query are those of attributes, as the recorded service sees it. */
import type { EntryType } from '../../model/schema.ts';

/** These are no attributes: no place below them has their name. */
export const identifiers: ReadonlySet<string> = new Set(['id', 'documentId']);

/** Whether the entries of a type have an attribute of that name. */
export function isAttributeName({ attributes }: EntryType, name: string): boolean {
  return !identifiers.has(name) && attributes.has(name);
}
