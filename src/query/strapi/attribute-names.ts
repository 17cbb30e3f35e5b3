import type { EntryType } from '../../model/schema/schema.ts';

/** Strapi does not count these as attributes, so no path that it reports contains them. */
export const idNames: ReadonlySet<string> = new Set(['id', 'documentId']);

/** Returns whether Strapi counts a name as an attribute of the type. */
export function countsAsAttribute({ attributes }: EntryType, name: string): boolean {
  return !idNames.has(name) && attributes.has(name);
}
