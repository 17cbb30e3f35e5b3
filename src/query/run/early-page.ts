import { firstRowsInOrder } from '../../store/row-order.ts';
import type { Plan } from '../plan/plan.ts';
import type { RequestView } from '../plan/request-view.ts';
import type { EarlyPage, PageRequest } from './page-strategy.ts';
import { codeAt, codeOrder, compileSortKey, positionsOf, sortedColumn } from './ranks.ts';
import { rowPredicate } from './row-predicate.ts';
import { sortedWindow } from './sort-order.ts';
import { deltaInOrder, mergedWindow } from './sorted-delta.ts';

/**
 * A value with more rows than this is skipped if none of its rows is visible, which is often so for values of drafts.
 * Of 60,000 entries, half of which are drafts with a value of their own, a page takes 50 µs, and took 110 without this.
 */
const manyRows = 256;

/**
 * Finds a page by testing rows in sort order. The plan must select at least as many rows as the page ends at. Returns
 * null if the page is not full after `maximumTests` tests: then the filter has to run. Counts the visible rows of at
 * most `maximumCounts` values. The first matching rows of a delta take their places among those of the collection.
 */
export function findEarlyPage(view: RequestView, plan: Plan, early: EarlyPage, page: PageRequest): Uint32Array | null {
  const { keys, start, end } = page;
  const { collection, delta } = plan.segment;
  const test = rowPredicate(plan);
  if (keys.length === 0) return firstRowsInOrder(test, end, early.maximumTests)?.subarray(start) ?? null;
  if (!delta) return firstOfCollection(view, plan, test, early, page)?.subarray(start) ?? null;
  const { replaced } = delta;
  const isStored = (row: number) => row < collection.rowCount && !replaced.has(row) && test(row);
  const stored = firstOfCollection(view, plan, isStored, early, page);
  if (!stored) return null;
  const ranks = keys.map((key) => compileSortKey(view, plan.segment, key));
  return mergedWindow(stored, deltaInOrder(delta, keys[0], test, end), ranks, start, end);
}

/** Returns the first rows of the collection that pass a test, up to the end of the page; null if it gives up. */
function firstOfCollection(
  view: RequestView,
  plan: Plan,
  test: (row: number) => boolean,
  { maximumTests, maximumCounts, visible, within }: EarlyPage,
  { keys: [key, ...others], end }: PageRequest,
): Uint32Array | null {
  const { segment } = plan;
  const found = new Uint32Array(end);
  let length = 0;
  let testsLeft = maximumTests;
  let countsLeft = visible ? maximumCounts : 0;
  const ranks = others.map((other) => compileSortKey(view, segment, other));
  const column = sortedColumn(segment.collection, key);
  const { offsets, rows } = column.index;
  const { size } = column.dictionary;
  const order = codeOrder(size, key);
  const [from, to] = positionsOf(order, within);
  for (let position = from; length < end; position++) {
    if (position >= to) return null;
    const code = codeAt(position, order);
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
  return found;
}
