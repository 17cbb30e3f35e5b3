import type { Store } from './store.ts';

/** Returns the newest `updatedAt` of all entries as ISO 8601; null if no entry has one. Reads only the dictionaries. */
export function newestUpdate({ collections }: Store): string | null {
  const newest = collections.map(({ columns }) => {
    const dictionary = columns.get('updatedAt')?.dictionary;
    return dictionary?.kind === 'number' ? (dictionary.values.at(-1) ?? null) : null;
  });
  const known = newest.filter((time) => time !== null);
  return known.length === 0 ? null : new Date(Math.max(...known)).toISOString();
}
