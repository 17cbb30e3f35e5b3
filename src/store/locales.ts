import { localeType } from '../model/schema/schema.ts';
import type { Column } from './columns/column.ts';
import type { Segment } from './segment.ts';

/** Returns every locale of the content: the default, those of the settings, and those of the live entries. */
export function localesOf(segments: readonly Segment[], defaultLocale: string): Set<string> {
  const settings = segments.find(({ collection }) => collection.type.uid === localeType);
  const entries = segments.filter(({ collection }) => collection.type.localized);
  return new Set([
    defaultLocale,
    ...(settings ? textsOf(settings, 'code') : []),
    ...entries.flatMap((segment) => textsOf(segment, 'locale')),
  ]);
}

/** Returns whether a segment after a batch has the locales that it had before: they are not read if no row has others. */
export function hasSameLocales(before: Segment, after: Segment): boolean {
  const { uid, localized } = after.collection.type;
  if (before === after || !(localized || uid === localeType)) return true;
  const name = uid === localeType ? 'code' : 'locale';
  const isSameColumn = before.delta?.columns.get(name) === after.delta?.columns.get(name);
  return isSameColumn && before.delta?.rows === after.delta?.rows && before.dead === after.dead;
}

/** Returns the distinct texts of the live rows of a segment, in order. */
function textsOf({ collection, delta, dead }: Segment, name: string): string[] {
  const stored = textsWithRows(collection.columns.get(name), delta ? delta.replaced.toArray() : dead);
  if (!delta) return stored;
  const changed = textsWithRows(delta.columns.get(name), new Uint32Array(0));
  return [...new Set([...stored, ...changed])].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** Returns the texts of a column that a row has which is not hidden. */
function textsWithRows(column: Column | undefined, hidden: Uint32Array): string[] {
  if (column?.dictionary.kind !== 'text') return [];
  const { codes, dictionary, index } = column;
  const hiddenRows = new Uint32Array(dictionary.size + 1);
  for (const row of hidden) hiddenRows[codes[row]]++;
  return Array.from({ length: dictionary.size }, (_, i) => i)
    .filter((i) => index.offsets[i + 2] - index.offsets[i + 1] > hiddenRows[i + 1])
    .map((i) => dictionary.text(i));
}
