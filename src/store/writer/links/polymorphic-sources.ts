import type { Collection } from '../../collection.ts';
import { type Adjacency, adjacencyFromPairs, type PolymorphicAdjacency } from '../../links/adjacency.ts';

/**
 * By the targets of an adjacency, which batches share, and by the number of a collection: the sources of the links to its
 * rows. Null if no link leads there.
 */
const known = new WeakMap<Uint32Array, Map<number, Adjacency | null>>();

const noRows = new Uint32Array(0);

/**
 * Returns the rows whose links lead to a row of a collection, in the adjacency without its patch. The first call for an
 * adjacency and a collection looks whether any link leads there. If one does, the call takes a time linear in all links
 * and in the rows of the collection, and memory of 4 bytes for each of its rows and links, for as long as the adjacency
 * lives. Only the deletion of a target needs it.
 */
export function baseSources(
  adjacency: PolymorphicAdjacency,
  { number, rowCount }: Pick<Collection, 'number' | 'rowCount'>,
  row: number,
): Uint32Array {
  const { targets, collections } = adjacency;
  let byCollection = known.get(targets);
  if (!byCollection) known.set(targets, (byCollection = new Map()));
  let links = byCollection.get(number);
  if (links === undefined) {
    links = collections.includes(number) ? linksFrom(adjacency, number, rowCount) : null;
    byCollection.set(number, links);
  }
  if (!links || row >= rowCount) return noRows;
  return links.targets.subarray(links.offsets[row], links.offsets[row + 1]);
}

/** Returns the links to a collection, from its rows to their sources. */
function linksFrom({ offsets, targets, collections }: PolymorphicAdjacency, number: number, rowCount: number) {
  const sources = new Uint32Array(targets.length);
  const ends = new Uint32Array(targets.length);
  let count = 0;
  for (let row = 0; row + 1 < offsets.length; row++) {
    for (let link = offsets[row]; link < offsets[row + 1]; link++) {
      if (collections[link] !== number) continue;
      sources[count] = row;
      ends[count++] = targets[link];
    }
  }
  return adjacencyFromPairs(ends.subarray(0, count), sources.subarray(0, count), rowCount);
}
