import { type AdjacencyPair, adjacencyFromPairs } from '../sets/adjacency.ts';
import { GrowableNumbers } from '../sets/growable-buffers.ts';
import type { Column } from './column.ts';

/** Most entries of one document: each may be linked with each other one. */
export const mostVersions = 2_000;

/** Returns the first of the rows of a document with more entries than the limit; null if there is none. */
export function rowWithManyVersions({ index: { offsets, rows } }: Column): number | null {
  for (let code = 1; code + 1 < offsets.length; code++) {
    if (offsets[code + 1] - offsets[code] > mostVersions) return rows[offsets[code]];
  }
  return null;
}

/**
 * Links between rows of one document, the same from either side: from each row to those of `targets`, in their order,
 * for which `leads` is true. `documents` is the column of documentIds. A row without one is a document of its own.
 */
export function documentLinks(
  documents: Column,
  targets: Iterable<number>,
  leads: (source: number, target: number) => boolean,
): AdjacencyPair {
  const { offsets, rows } = documents.index;
  const sources = new GrowableNumbers();
  const ends = new GrowableNumbers();
  for (const target of targets) {
    const code = documents.codes[target];
    if (code === 0) {
      if (!leads(target, target)) continue;
      sources.push(target);
      ends.push(target);
      continue;
    }
    for (let i = offsets[code]; i < offsets[code + 1]; i++) {
      if (!leads(rows[i], target)) continue;
      sources.push(rows[i]);
      ends.push(target);
    }
  }
  const links = adjacencyFromPairs(sources.take(), ends.take(), documents.codes.length);
  return { forward: links, reverse: links };
}
