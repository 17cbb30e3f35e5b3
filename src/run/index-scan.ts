import type { SortKey } from '../query/bound.ts';
import { BitSet } from '../sets/bit-set.ts';
import { collectIntersection } from '../sets/bit-set-window.ts';
import { oneCode } from '../sets/code-set.ts';
import type { Collection } from '../store/collection.ts';
import { codeAt, type Ranks, sortedWindow } from './sort-order.ts';

/**
 * Returns the members at the positions from `start` up to, not including, `end`, sorted by a column of the collection:
 * reads the column's value index in the order of the sort. `ranks` sort the rows of one value.
 */
export function scanIndex(
  collection: Collection,
  members: BitSet,
  { path, descending }: SortKey,
  ranks: readonly Ranks[],
  start: number,
  end: number,
): Uint32Array {
  const column = collection.columns.get(path[0])!;
  const { offsets, rows } = column.index;
  const { size } = column.dictionary;
  const { words } = members;
  const found = new Uint32Array(end - start);
  let passed = 0;
  /** Takes the part of the next `count` members, which have one value, that lies in the window. */
  const take = (count: number, windowOf: (from: number, to: number) => Uint32Array) => {
    if (passed + count > start) {
      const slice = windowOf(Math.max(0, start - passed), Math.min(count, end - passed));
      found.set(slice, Math.max(0, passed - start));
    }
    passed += count;
  };
  for (let position = 0; position <= size && passed < end; position++) {
    const code = codeAt(position, size, descending);
    const first = offsets[code];
    const last = offsets[code + 1];
    if (last - first > words.length) {
      // intersecting bit sets reads fewer words than the index has rows for this value
      const codes = oneCode(code);
      const withCode = column.cachedRows(codes) ?? column.rowsWithCodes(codes);
      if (ranks.length === 0) passed = collectIntersection(withCode.words, words, found, passed, start, end);
      else {
        const ties = BitSet.intersection(withCode, members).toArray();
        take(ties.length, (from, to) => sortedWindow(ties, ranks, from, to));
      }
    } else if (ranks.length === 0 || last - first === 1) {
      for (let i = first; i < last && passed < end; i++) {
        const row = rows[i];
        if ((words[row >>> 5] & (1 << (row & 31))) === 0) continue;
        if (passed >= start) found[passed - start] = row;
        passed++;
      }
    } else {
      let count = 0;
      for (let i = first; i < last; i++) if (members.has(rows[i])) count++;
      take(count, (from, to) => {
        const ties = rows.subarray(first, last).filter((row) => members.has(row));
        return sortedWindow(ties, ranks, from, to);
      });
    }
  }
  return found;
}
