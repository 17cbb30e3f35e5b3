import { firstWhere, iota } from '../../core/sets/row-set.ts';
import { nextId, rowOfId, type Segment } from '../segment.ts';
import type { BatchRows } from './batch-rows.ts';

/** The rows of a delta. */
export interface MergedRows {
  /** The row of the segment of each delta row, ascending. */
  readonly rows: Uint32Array;
  /** By delta row: its row in the delta before, or `~row` for a row of the batch. */
  readonly sources: Int32Array;
  /** Whether the delta has the rows that it had before. */
  readonly keepsRows: boolean;
  /** The delta rows of the batch. */
  readonly written: Uint32Array;
  /** The rows of the delta before that the batch replaced or removed, ascending. */
  readonly dropped: Uint32Array;
  /** Of the segment: as in a Delta. */
  readonly rowCount: number;
  readonly greatestId: number;
  readonly isInIdOrder: boolean;
}

const noRows = new Uint32Array(0);

/**
 * Returns the rows of a segment's delta after a batch. A row with the id of a live row replaces it, and all others are
 * appended in ascending order of id. Throws if a row that is replaced is among `removed`.
 */
export function mergeRows(segment: Segment, built: BatchRows | null, removed: ReadonlySet<number>): MergedRows {
  let { rowCount, isInIdOrder } = segment;
  let greatestId = nextId(segment) - 1;
  const ids = built?.ids ?? new Float64Array(0);
  const given = Uint32Array.from(ids, (id) => {
    const row = rowOfId(segment, id);
    if (row !== undefined && removed.has(row)) {
      throw new Error(`a batch changes and deletes the ${segment.collection.type.uid} with id ${id}`);
    }
    if (row !== undefined) return row;
    if (id <= greatestId) isInIdOrder = false;
    else greatestId = id;
    return rowCount++;
  });
  const before = segment.delta?.rows ?? noRows;
  const placeOf = (row: number) => firstWhere(before.length, (i) => before[i] >= row);
  const batch = iota(ids.length).sort((a, b) => given[a] - given[b]);
  const places = batch.map((number) => placeOf(given[number]));
  const replaced = places.filter((place, i) => before[place] === given[batch[i]]);
  const dead = Array.from(removed, (row) => ({ row, place: placeOf(row) })).filter(
    ({ row, place }) => before[place] === row,
  );
  const dropped = Uint32Array.from([...replaced, ...dead.map(({ place }) => place)]).sort();
  const sources = mergeSources(before.length, dropped, places, batch);
  const keepsRows = dead.length === 0 && sources.length === before.length;
  const rows = keepsRows ? before : new Uint32Array(sources.length);
  const written = new Uint32Array(ids.length);
  let length = 0;
  for (let row = 0; row < sources.length; row++) {
    if (!keepsRows) rows[row] = sources[row] >= 0 ? before[sources[row]] : given[~sources[row]];
    if (sources[row] < 0) written[length++] = row;
  }
  return { rows, sources, keepsRows, written, dropped, rowCount, greatestId, isInIdOrder };
}

/**
 * Returns the items of a list after a batch: for each, its number in the list of `count` items before, or `~number` for
 * an item of the batch. `dropped` are the items before that are gone, ascending. Item `added[i]` of the batch stands
 * before the item number `places[i]`, which ascend.
 */
export function mergeSources(count: number, dropped: Uint32Array, places: Uint32Array, added: Uint32Array): Int32Array {
  const sources = new Int32Array(count - dropped.length + added.length);
  let length = 0;
  let nextDropped = 0;
  let nextAdded = 0;
  for (let item = 0; item <= count; item++) {
    while (nextAdded < added.length && places[nextAdded] === item) sources[length++] = ~added[nextAdded++];
    if (nextDropped < dropped.length && dropped[nextDropped] === item) nextDropped++;
    else if (item < count) sources[length++] = item;
  }
  return sources;
}
