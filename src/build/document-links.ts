import { type AdjacencyPair, adjacencyFromPairs } from '../sets/adjacency.ts';
import { type Allocator, heapAllocator } from '../sets/allocator.ts';
import { GrowableNumbers } from '../sets/growable-buffers.ts';
import { iota } from '../sets/row-set.ts';
import type { Column } from '../store/column.ts';

/** Limit on the entries of one document, as each may be linked with each other one. */
export const maximumEntries = 2_000;

/** Returns the first row of a document with more entries than the limit; null if there is none. */
export function rowWithManyVersions({ index: { offsets, rows } }: Column): number | null {
  for (let code = 1; code + 1 < offsets.length; code++) {
    if (offsets[code + 1] - offsets[code] > maximumEntries) return rows[offsets[code]];
  }
  return null;
}

/**
 * Links rows of the same document: each row to those of `targets`, in their order, for which `isLinked` is true. It
 * must be symmetric, so that both directions are the same. `documents` is the column of documentIds; a row without one
 * is a document of its own.
 */
export function documentLinks(
  documents: Column,
  targets: Iterable<number>,
  isLinked: (source: number, target: number) => boolean,
  allocator: Allocator = heapAllocator,
): AdjacencyPair {
  const { offsets, rows } = documents.index;
  const sources = new GrowableNumbers();
  const ends = new GrowableNumbers();
  for (const target of targets) {
    const code = documents.codes[target];
    if (code === 0) {
      if (!isLinked(target, target)) continue;
      sources.push(target);
      ends.push(target);
      continue;
    }
    for (let i = offsets[code]; i < offsets[code + 1]; i++) {
      if (!isLinked(rows[i], target)) continue;
      sources.push(rows[i]);
      ends.push(target);
    }
  }
  const links = adjacencyFromPairs(sources.take(), ends.take(), documents.codes.length, allocator);
  return { forward: links, reverse: links };
}

/** Links each row to all rows of its document, the row itself among them. */
export function versionLinks(documents: Column, allocator?: Allocator): AdjacencyPair {
  return documentLinks(documents, iota(documents.codes.length), () => true, allocator);
}
