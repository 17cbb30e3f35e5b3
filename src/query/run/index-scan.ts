import { BitSet, collectIntersection } from '../../core/sets/bit-set.ts';
import { oneCode } from '../../core/sets/code-set.ts';
import { countMembers, membersOf } from '../../core/sets/row-set.ts';
import { columnOf } from '../../store/collection.ts';
import type { Segment } from '../../store/segment.ts';
import type { SortKey } from '../bound.ts';
import { codeAt, type RankFunction } from './ranks.ts';
import { sortedWindow } from './sort-order.ts';

/** The positions from `start` up to, not including, `end` among sorted rows. */
export interface RankWindow {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the members in a window, sorted by a column of the segment: reads the column's value index in the order of
 * the sort. `others` sort the rows of one value. The window ends at the last member or before.
 */
export function scanIndex(
  segment: Segment,
  members: BitSet,
  { path, descending }: SortKey,
  others: readonly RankFunction[],
  { start, end }: RankWindow,
): Uint32Array {
  const column = columnOf(segment.collection, path[0]);
  const { offsets, rows } = column.index;
  const { size } = column.dictionary;
  const { words } = members;
  const page = new Uint32Array(end - start);
  // the number of members that precede the current value
  let passed = 0;
  for (let position = 0; position <= size && passed < end; position++) {
    const code = codeAt(position, size, descending);
    const first = offsets[code];
    const last = offsets[code + 1];
    if (last - first > words.length) {
      // intersecting bit sets reads fewer words than the index has rows for this value
      const codes = oneCode(code);
      const withCode = column.bitmapOf(codes) ?? column.rowsWithCodes(codes);
      if (others.length === 0) passed = collectIntersection(withCode.words, words, page, passed, start, end);
      else {
        const ties = BitSet.intersection(withCode, members);
        const count = ties.count();
        addTies(page, passed - start, count, () => ties.toArray(), others);
        passed += count;
      }
    } else if (others.length === 0 || last - first === 1) {
      for (let i = first; i < last && passed < end; i++) {
        const row = rows[i];
        if ((words[row >>> 5] & (1 << (row & 31))) === 0) continue;
        if (passed >= start) page[passed - start] = row;
        passed++;
      }
    } else {
      const ties = () => membersOf(rows, first, last, members);
      const count = countMembers(rows, first, last, members);
      addTies(page, passed - start, count, ties, others);
      passed += count;
    }
  }
  return page;
}

/**
 * Adds the part of `count` rows with one value that falls in the page, sorted by the other keys. `first` is the
 * position of the first of them in the page; it is negative if it precedes the page.
 */
function addTies(
  page: Uint32Array,
  first: number,
  count: number,
  ties: () => Uint32Array,
  others: readonly RankFunction[],
): void {
  if (first + count <= 0) return;
  const slice = sortedWindow(ties(), others, Math.max(0, -first), Math.min(count, page.length - first));
  page.set(slice, Math.max(0, first));
}
