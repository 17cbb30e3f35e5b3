import type { StorePolicy } from '../../../core/dialect.ts';
import { type Allocator, heapAllocator } from '../../../core/memory/allocator.ts';
import { GrowableNumbers } from '../../../core/memory/growable-buffers.ts';
import type { BitSet } from '../../../core/sets/bit-set.ts';
import { iota } from '../../../core/sets/row-set.ts';
import type { EntryType } from '../../../model/schema/schema.ts';
import type { Column } from '../../columns/column.ts';
import { type AdjacencyPair, adjacencyFromPairs } from '../../links/adjacency.ts';

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

/** Links each row to the other rows of its document and status, which are in the order of `rows`. */
export function localizationLinks(
  documents: Column,
  rows: Uint32Array | null,
  published: BitSet | null,
  allocator: Allocator,
): AdjacencyPair {
  const isOther = (source: number, target: number) =>
    source !== target && published?.has(source) === published?.has(target);
  return documentLinks(documents, rows ?? iota(documents.codes.length), isOther, allocator);
}

/** Whether the rows of each document occur in ascending order in `rows`. */
export function isInDocumentOrder({ codes, dictionary }: Column, rows: Uint32Array): boolean {
  const last = new Int32Array(dictionary.size + 1).fill(-1);
  return rows.every((row) => {
    const code = codes[row];
    const isAscending = code === 0 || last[code] < row;
    last[code] = row;
    return isAscending;
  });
}

/** Whether a type has version links. */
export function hasVersionLinks({ kind }: EntryType, derived: StorePolicy | undefined): boolean {
  return derived?.versionLinks === true && kind !== 'component';
}

/** Links each row to all rows of its document, the row itself among them. */
export function versionLinks(documents: Column, allocator?: Allocator): AdjacencyPair {
  return documentLinks(documents, iota(documents.codes.length), () => true, allocator);
}
