import { firstWhere } from '../../core/sets/binary-search.ts';
import { iota } from '../../core/sets/row-set.ts';
import type { NumberDictionary } from '../columns/number-dictionary.ts';
import { nextId, rowOfId, type Segment } from '../segment.ts';
import type { BuiltRows } from '../writer/collection-builder.ts';

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
  /** The rows of the delta before that the batch replaced or removed. */
  readonly dropped: ArrayLike<number>;
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
  const known = removed.size === 0 ? deltaRowsAt(before, places) : null;
  if (known) {
    const sources = new Int32Array(iota(before.length));
    for (let i = 0; i < known.length; i++) sources[known[i]] = ~i;
    return {
      rows: before,
      keepsRows: true,
      sources,
      written: known,
      dropped: known,
      rowCount,
      greatestId,
      isInIdOrder,
    };
  }
  const rows = new Uint32Array(before.length + ids.length);
  const sources = new Int32Array(rows.length);
  const written = new Uint32Array(ids.length);
  const dropped: number[] = [];
  let length = 0;
  let next = 0;
  const keepUntil = (end: number) => {
    for (; next < end; next++) {
      if (removed.size > 0 && removed.has(before[next])) {
        dropped.push(next);
        continue;
      }
      rows[length] = before[next];
      sources[length++] = next;
    }
  };
  for (const [i, added] of iota(ids.length)
    .sort((a, b) => places[a] - places[b])
    .entries()) {
    const place = places[added];
    keepUntil(firstWhere(before.length, (row) => before[row] >= place));
    if (before[next] === place) dropped.push(next++);
    written[i] = length;
    rows[length] = place;
    sources[length++] = ~added;
  }
  keepUntil(before.length);
  return {
    rows: rows.slice(0, length),
    sources: sources.slice(0, length),
    ...{ keepsRows: false, written, dropped, rowCount, greatestId, isInIdOrder },
  };
}

/** Returns the delta row of each row; null if the delta lacks one of them. `rows` are those of the delta. */
function deltaRowsAt(rows: Uint32Array, places: Uint32Array): Uint32Array | null {
  const found = places.map((place) => firstWhere(rows.length, (i) => rows[i] >= place));
  return found.every((row, i) => rows[row] === places[i]) ? found : null;
}
