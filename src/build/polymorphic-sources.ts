import { type Adjacency, adjacencyFromPairs, type PolymorphicAdjacency } from '../store/adjacency.ts';
import type { Collection } from '../store/collection.ts';

/** The sources of polymorphic links by their targets, without patches. */
interface PolymorphicSources {
  /** By collection number: what to add to a row for its number in `links`. */
  readonly starts: readonly number[];
  readonly links: Adjacency;
}

/** By the targets of an adjacency, which batches share. */
const known = new WeakMap<Uint32Array, PolymorphicSources>();

const noRows = new Uint32Array(0);

/**
 * Returns the rows whose links lead to a row of a collection, in the adjacency without its patch. The first call for an
 * adjacency takes a time linear in its links and in the rows of all collections that they lead to, and 4 bytes for each
 * of them that are kept as long as the adjacency. Only the deletion of a target needs it.
 */
export function storedSources(
  adjacency: PolymorphicAdjacency,
  collections: readonly Collection[],
  collection: number,
  row: number,
): Uint32Array {
  let sources = known.get(adjacency.targets);
  if (!sources) known.set(adjacency.targets, (sources = sourcesOf(adjacency, collections)));
  const { starts, links } = sources;
  if (starts[collection] === undefined || row >= collections[collection].rowCount) return noRows;
  const at = starts[collection] + row;
  return links.targets.subarray(links.offsets[at], links.offsets[at + 1]);
}

function sourcesOf(
  { offsets, targets, collections: collectionOf }: PolymorphicAdjacency,
  collections: readonly Collection[],
): PolymorphicSources {
  const starts: number[] = [];
  let rowCount = 0;
  for (const number of new Set(collectionOf)) {
    starts[number] = rowCount;
    rowCount += collections[number].rowCount;
  }
  const sources = new Uint32Array(targets.length);
  for (let row = 0; row + 1 < offsets.length; row++) sources.fill(row, offsets[row], offsets[row + 1]);
  const ends = targets.map((target, link) => starts[collectionOf[link]] + target);
  return { starts, links: adjacencyFromPairs(ends, sources, rowCount) };
}
