import { type LinkPair, linksFromPairs } from '../sets/links.ts';
import type { Column } from './column.ts';
import { GrowableNumbers } from './growable.ts';

/**
 * Links between rows of one document, the same from either side: from each row to those of `targets`, in their order,
 * for which `leads` is true. `documents` is the column of documentIds.
 */
export function documentLinks(
  documents: Column,
  targets: Iterable<number>,
  leads: (source: number, target: number) => boolean,
): LinkPair {
  const { offsets, rows } = documents.index;
  const sources = new GrowableNumbers();
  const ends = new GrowableNumbers();
  for (const target of targets) {
    const code = documents.codes[target];
    for (let i = offsets[code]; i < offsets[code + 1]; i++) {
      if (!leads(rows[i], target)) continue;
      sources.push(rows[i]);
      ends.push(target);
    }
  }
  const links = linksFromPairs(sources.take(), ends.take(), documents.codes.length);
  return { forward: links, reverse: links };
}
