import type { PhysicalPlan } from '../plan/physical-plan.ts';
import type { RequestView } from '../plan/request-view.ts';
import { columnOf } from '../store/collection.ts';
import { firstRowsInOrder } from '../store/row-order.ts';
import type { EarlyPage, PageRequest } from './page-strategy.ts';
import { codeAt, compileSortKey } from './ranks.ts';
import { rowPredicate } from './row-predicate.ts';
import { sortedWindow } from './sort-order.ts';

/**
 * A value with more rows than this is skipped if none of its rows is visible, which is often so for values of drafts.
 * Of 60,000 entries, half of which are drafts with a value of their own, a page takes 50 µs, and took 110 without this.
 */
const manyRows = 256;

/**
 * Finds a page by testing rows in sort order. The plan must select at least as many rows as the page ends at. Returns
 * null if the page is not full after `maximumTests` tests: then the filter has to run. Counts the visible rows of at
 * most `maximumCounts` values.
 */
export function findEarlyPage(
  view: RequestView,
  plan: PhysicalPlan,
  { maximumTests, maximumCounts, visible }: EarlyPage,
  { keys: [key, ...others], start, end }: PageRequest,
): Uint32Array | null {
  const { segment } = plan;
  const test = rowPredicate(plan);
  if (!key) return firstRowsInOrder(test, end, maximumTests)?.subarray(start) ?? null;
  const found = new Uint32Array(end);
  let length = 0;
  let testsLeft = maximumTests;
  let countsLeft = visible ? maximumCounts : 0;
  const ranks = others.map((other) => compileSortKey(view, segment, other));
  const column = columnOf(segment.collection, key.path[0]);
  const { offsets, rows } = column.index;
  const { size } = column.dictionary;
  for (let position = 0; length < end; position++) {
    if (position > size) return null;
    const code = codeAt(position, size, key.descending);
    const first = offsets[code];
    const last = offsets[code + 1];
    if (last - first > manyRows && countsLeft > 0) {
      countsLeft--;
      if (visible?.countWith(column, [{ low: code, high: code + 1 }]) === 0) continue;
    }
    if (ranks.length === 0 || last - first === 1) {
      for (let i = first; i < last && length < end; i++) {
        if (testsLeft === 0) return null;
        testsLeft--;
        if (test(rows[i])) found[length++] = rows[i];
      }
    } else {
      if (last - first > testsLeft) return null;
      testsLeft -= last - first;
      const ties = rows.subarray(first, last).filter(test);
      const slice = sortedWindow(ties, ranks, 0, Math.min(ties.length, end - length));
      found.set(slice, length);
      length += slice.length;
    }
  }
  return found.subarray(start);
}
