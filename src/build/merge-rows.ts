import { iota } from '../sets/row-set.ts';
import type { NumberDictionary } from '../store/number-dictionary.ts';
import { nextId, rowOfId, type Segment } from '../store/segment.ts';
import type { BuiltRows } from './collection-builder.ts';

/** The rows of a delta. */
export interface MergedRows {
  /** The row of the segment of each delta row, ascending. */
  readonly rows: Uint32Array;
  /** By delta row: its row in the delta before, or `~row` for a row of the batch. */
  readonly sources: Int32Array;
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
export function mergeRows(segment: Segment, built: BuiltRows | null, removed: ReadonlySet<number>): MergedRows {
  let { rowCount, isInIdOrder } = segment;
  let greatestId = nextId(segment) - 1;
  // row r of the batch has the id number r
  const ids = built ? (built.columns.get('id')!.dictionary as NumberDictionary).values : new Float64Array(0);
  const places = Uint32Array.from(ids, (id) => {
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
  const rows = new Uint32Array(before.length + ids.length);
  const sources = new Int32Array(rows.length);
  let length = 0;
  const add = (row: number, source: number) => {
    rows[length] = row;
    sources[length++] = source;
  };
  let next = 0;
  for (const added of iota(ids.length).sort((a, b) => places[a] - places[b])) {
    const place = places[added];
    for (; next < before.length && before[next] < place; next++)
      if (!removed.has(before[next])) add(before[next], next);
    if (before[next] === place) next++;
    add(place, ~added);
  }
  for (; next < before.length; next++) if (!removed.has(before[next])) add(before[next], next);
  return { rows: rows.slice(0, length), sources: sources.slice(0, length), rowCount, greatestId, isInIdOrder };
}
