import type { Store } from './store.ts';

/** The newest `updatedAt` of all entries as ISO 8601, or null if none has any: the last value of each dictionary. */
export function newestUpdate({ collections }: Store): string | null {
  const newest = collections.map(({ columns }) => {
    const dictionary = columns.get('updatedAt')?.dictionary;
    return dictionary?.kind === 'number' ? (dictionary.values.at(-1) ?? null) : null;
  });
  const known = newest.filter((time) => time !== null);
  return known.length === 0 ? null : new Date(Math.max(...known)).toISOString();
}
