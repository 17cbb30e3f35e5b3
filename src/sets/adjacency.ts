/**
 * One direction of a relation as compressed sparse rows: the targets of row r are
 * `targets[offsets[r]]` up to `targets[offsets[r + 1]]`, in order.
 */
export interface Adjacency {
  /** One more than there are source rows. */
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
}

/** Links whose targets lie in several collections: `collections` has the collection number of each target. */
export interface PolymorphicAdjacency extends Adjacency {
  readonly collections: Uint16Array;
}

/** A relation both ways. `forward` leads from the attribute's own rows, in the order of connection. */
export interface AdjacencyPair {
  readonly forward: Adjacency;
  readonly reverse: Adjacency;
}

/** The offsets for `sources` with `rowCount` possible sources. */
export function countOffsets(sources: Uint32Array, rowCount: number): Uint32Array {
  const offsets = new Uint32Array(rowCount + 1);
  for (let i = 0; i < sources.length; i++) offsets[sources[i] + 1]++;
  for (let row = 0; row < rowCount; row++) offsets[row + 1] += offsets[row];
  return offsets;
}

/** Links from pairs, given as two arrays of equal length; a source's targets keep the order in which they stand. */
export function adjacencyFromPairs(sources: Uint32Array, targets: Uint32Array, rowCount: number): Adjacency {
  const offsets = countOffsets(sources, rowCount);
  const sorted = new Uint32Array(targets.length);
  const next = offsets.slice(0, rowCount);
  for (let i = 0; i < targets.length; i++) sorted[next[sources[i]]++] = targets[i];
  return { offsets, targets: sorted };
}
