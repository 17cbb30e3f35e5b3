import { type Allocator, heapAllocator } from '../../core/memory/allocator.ts';
import { type LinkPatch, patchedLinks } from './link-patch.ts';

/**
 * One direction of a relation as compressed sparse rows: the targets of row r are
 * `targets[offsets[r]]` up to `targets[offsets[r + 1]]`, in order.
 */
export interface Adjacency {
  /** One more than there are source rows. */
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
  /** Item i: the number of links that the 2^i rows with most links have together. */
  readonly topLinkCounts: Uint32Array;
  /** The positions by which the targets of each row are sorted. Null for links that follow from rows or other links. */
  readonly positions: LinkPositions | null;
  /** The rows whose links differ, since entries changed. Null if there are none. */
  readonly patch: LinkPatch | null;
}

/**
 * The positions of links in the lists that hold them, ascending in each list. Several links may have the same one.
 * Queries do not read them. They are for compaction, which copies and merges links of stores (writer/copy/copy-rows.ts),
 * and for comparing rows of stores (writer/rows/row-digest.ts, changes/diff/equal-rows.ts).
 */
export interface LinkPositions {
  /** By link. Null if item i of every list is at `first + i * step`, which takes no memory and holds for most links. */
  readonly values: Uint32Array | Float64Array | null;
  readonly first: number;
  readonly step: number;
}

/** Links to several collections: `collections` has the collection number of each target. */
export interface PolymorphicAdjacency extends Adjacency {
  readonly collections: Uint16Array;
  /** The positions of the links in the lists of their targets. Null if `positions` is. */
  readonly inversePositions: LinkPositions | null;
  /**
   * Which inverse attribute shows each link: 0 for all of them, 1 for none, n + 2 for attribute n of the target type.
   * Null if all inverse attributes show all links.
   */
  readonly shownBy: Uint16Array | null;
}

/** A relation in both directions. `forward` leads from the attribute's own rows, in the order of connection. */
export interface AdjacencyPair {
  readonly forward: Adjacency;
  readonly reverse: Adjacency;
}

/** Returns where the links of each row start, as in an Adjacency, for the sources of all links. */
function offsetsOf(sources: Uint32Array, rowCount: number, allocator: Allocator): Uint32Array {
  const offsets = allocator.uint32(rowCount + 1);
  for (let i = 0; i < sources.length; i++) offsets[sources[i] + 1]++;
  for (let row = 0; row < rowCount; row++) offsets[row + 1] += offsets[row];
  return offsets;
}

/**
 * Builds an adjacency from pairs: link i leads from `sources[i]` to `targets[i]`. Targets of a source keep their order.
 */
export function adjacencyFromPairs(
  sources: Uint32Array,
  targets: Uint32Array,
  rowCount: number,
  allocator: Allocator = heapAllocator,
): Adjacency {
  const offsets = offsetsOf(sources, rowCount, allocator);
  const sorted = allocator.uint32(targets.length);
  const next = offsets.slice(0, rowCount);
  for (let i = 0; i < targets.length; i++) sorted[next[sources[i]]++] = targets[i];
  return { offsets, targets: sorted, topLinkCounts: countTopLinks(offsets, allocator), positions: null, patch: null };
}

/** The number of the collection of each target of a row. */
export function collectionsOf({ offsets, collections, patch }: PolymorphicAdjacency, row: number): Uint16Array {
  const patched = patch && patchedLinks(patch, row);
  return patched ? patched.collections! : collections.subarray(offsets[row], offsets[row + 1]);
}

/** Returns the links of some rows without a patch: row `rows[i]` has the number i. */
export function linksOfRows(links: Adjacency, rows: Uint32Array): Adjacency {
  const lists = Array.from(rows, (row) => targetsOf(links, row));
  const offsets = new Uint32Array(rows.length + 1);
  for (let i = 0; i < lists.length; i++) offsets[i + 1] = offsets[i] + lists[i].length;
  const targets = new Uint32Array(offsets[rows.length]);
  for (let i = 0; i < lists.length; i++) targets.set(lists[i], offsets[i]);
  return { offsets, targets, topLinkCounts: new Uint32Array(0), positions: null, patch: null };
}

/** The positions of links that lack them: those of an image of format 1. */
export const countedPositions: LinkPositions = { values: null, first: 0, step: 1 };

/** Returns the position of a link, which is item `i` of its list. */
export function positionAt({ values, first, step }: LinkPositions, link: number, i: number): number {
  return values ? values[link] : first + i * step;
}

/** The targets of a row, in order. They belong to the store: do not change them. */
export function targetsOf({ offsets, targets, patch }: Adjacency, row: number): Uint32Array {
  const patched = patch && patchedLinks(patch, row);
  return patched ? patched.targets : targets.subarray(offsets[row], offsets[row + 1]);
}

/** Counts the links of the 1, 2, 4, 8, … rows with most links. Takes a time linear in the rows. */
export function countTopLinks(offsets: Uint32Array, allocator: Allocator): Uint32Array {
  const rowCount = offsets.length - 1;
  let greatest = 0;
  for (let row = 0; row < rowCount; row++) greatest = Math.max(greatest, offsets[row + 1] - offsets[row]);
  const rowsWith = new Uint32Array(greatest + 1);
  for (let row = 0; row < rowCount; row++) rowsWith[offsets[row + 1] - offsets[row]]++;
  const sums = allocator.uint32(32 - Math.clz32(Math.max(rowCount, 1)));
  let rows = 0;
  let sum = 0;
  let power = 0;
  for (let count = greatest; count >= 0; count--) {
    const last = rows + rowsWith[count];
    for (; power < sums.length && 2 ** power <= last; power++) sums[power] = sum + (2 ** power - rows) * count;
    sum += rowsWith[count] * count;
    rows = last;
  }
  return sums;
}
