import type { EntryType } from '../../model/schema.ts';

/** The recorded service takes these for no attributes, so no path that it reports contains them. */
export const identifiers: ReadonlySet<string> = new Set(['id', 'documentId']);

/** Returns whether the recorded service takes a name for an attribute of the type. */
export function isAttributeName({ attributes }: EntryType, name: string): boolean {
  return !identifiers.has(name) && attributes.has(name);
}
