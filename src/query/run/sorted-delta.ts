/** The rows of a delta take their places among sorted rows of the collection. */
import type { Delta } from '../../store/overlay/delta.ts';
import type { SortKey } from '../bound.ts';
import type { RankFunction } from './computed-ranks.ts';
import { codeAt, codeOrder, sortedColumn } from './ranks.ts';
import { sortedWindow } from './sort-order.ts';

/**
 * Returns the rows of a delta that pass a test, sorted by a column, ties in row order. Reads the value index, and ends
 * with the last row of a value when there are `count` rows.
 */
export function deltaInOrder(delta: Delta, key: SortKey, test: (row: number) => boolean, count: number): Uint32Array {
  const { dictionary, index } = sortedColumn(delta, key);
  const { size } = dictionary;
  const order = codeOrder(size, key);
  const { offsets, rows } = index;
  const found = new Uint32Array(delta.rows.length);
  let length = 0;
  for (let position = 0; position <= size && length < count; position++) {
    const code = codeAt(position, order);
    for (let i = offsets[code]; i < offsets[code + 1]; i++) {
      const row = delta.rows[rows[i]];
      if (test(row)) found[length++] = row;
    }
  }
  return found.subarray(0, length);
}

/**
 * Returns the rows from `start` up to, not including, `end` of two lists that are merged. Both are sorted by the first
 * key; `ranks` are those of all keys. Takes linear time, and sorts only rows whose first keys equal one in the window.
 */
export function mergedWindow(
  rows: Uint32Array,
  others: Uint32Array,
  ranks: readonly RankFunction[],
  start: number,
  end: number,
): Uint32Array {
  const merged = new Uint32Array(rows.length + others.length);
  const mergedRanks = new Uint32Array(merged.length);
  const [rowRanks, otherRanks] = [ranks[0](rows), ranks[0](others)];
  let length = 0;
  for (let i = 0, j = 0; i < rows.length || j < others.length; length++) {
    const isOther =
      i === rows.length ||
      (j < others.length && (otherRanks[j] < rowRanks[i] || (otherRanks[j] === rowRanks[i] && others[j] < rows[i])));
    merged[length] = isOther ? others[j] : rows[i];
    mergedRanks[length] = isOther ? otherRanks[j++] : rowRanks[i++];
    // the rows after those that equal the last one of the window
    if (length >= end && mergedRanks[length] !== mergedRanks[end - 1]) break;
  }
  if (ranks.length === 1) return merged.subarray(start, end);
  let first = start;
  while (first > 0 && mergedRanks[first - 1] === mergedRanks[start]) first--;
  return sortedWindow(merged.subarray(first, length), ranks, start - first, end - first);
}
