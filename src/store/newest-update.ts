import type { Store } from './store.ts';

/**
 * Returns the newest `updatedAt` of all entries as ISO 8601; null if no entry has one. Reads only the dictionaries. An
 * attribute of a component may have the name and any type.
 */
export function newestUpdate({ segments }: Store): string | null {
  const entries = segments.filter(({ collection }) => collection.type.kind !== 'component');
  const columns = entries.flatMap(({ collection, delta }) => [collection.columns, delta?.columns ?? []].flat());
  const newest = columns.map((each) => {
    const dictionary = each.get('updatedAt')?.dictionary;
    return dictionary?.kind === 'number' ? (dictionary.values.at(-1) ?? null) : null;
  });
  const known = newest.filter((time) => time !== null);
  return known.length === 0 ? null : new Date(Math.max(...known)).toISOString();
}
