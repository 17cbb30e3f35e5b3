import type { VisibleRowSet } from '../derived/visible-row-set.ts';
import type { Plan } from '../plan/plan.ts';
import type { SortKey } from '../query/bound.ts';
import { effectiveSortKeys, firstRowsInOrder } from '../store/row-order.ts';
import type { StoreView } from '../store/store.ts';
import { chargePage } from './page.ts';
import { rowPredicate } from './row-predicate.ts';
import { codeAt, type Ranks, ranksBy, sortedWindow } from './sort-order.ts';

/** One row that is tested takes as long as so many rows of a set that is made. */
const rowsOfTest = 64;

/** So many times as many rows are tested as would be if those that pass were spread evenly, and so many more. */
const patience = 8;
const fewTests = 256;

/** Of so many rows with one value it is looked up whether any may be seen: those of drafts often have none. */
const manyRows = 256;

/** So many ranges of codes are counted one by one. */
const mostRanges = 8;

/**
 * The rows of a page near the beginning and the number of all rows, for a filter on one value that so many rows pass
 * that the page is found sooner by testing rows in sort order than by making the set of all: in a time that does not
 * grow with the rows. Null where it is not so; the plan is then to be run.
 */
export function findEarlyPage(
  view: StoreView,
  plan: Plan,
  sort: readonly SortKey[],
  start: number,
  limit: number,
): { page: Uint32Array; total: number } | null {
  const { collection } = plan;
  const [seen, values] = plan.kind === 'and' ? bySeen(plan.parts) : [null, plan];
  if (values?.kind !== 'values' || values.codes.kind !== 'ranges' || values.codes.ranges.length > mostRanges)
    return null;
  const { rowCount } = collection;
  const end = start + limit;
  // as if the values were spread evenly over what may be seen
  const expected = values.estimate * (seen ? seen.estimate / rowCount : 1);
  const tests = (end * rowCount) / expected;
  if (!(tests * rowsOfTest < rowCount)) return null;
  const keys = effectiveSortKeys(sort);
  if (keys.length > 0 && keys[0].path.length > 1) return null;
  const total = seen ? seen.seen.countWith(values.column, values.codes.ranges) : values.estimate;
  if (end > total) return null;
  const ranks = keys.slice(1).map((key) => ranksBy(view, collection, key));
  const page = walk(plan, keys[0], ranks, seen?.seen ?? null, start, end, tests * patience + fewTests);
  if (!page) return null;
  chargePage(view, collection, keys, total, end);
  return { page, total };
}

/** The two parts of "seen, and with one of the values", in this order. */
function bySeen(parts: readonly Plan[]): [(Plan & { kind: 'set' }) | null, Plan | undefined] {
  if (parts.length !== 2) return [null, undefined];
  const [one, other] = parts;
  if (one.kind === 'set') return [one, other];
  return other.kind === 'set' ? [other, one] : [null, undefined];
}

/** From place `start` up to, not including, `end` of the rows that pass; null if more than `mostTests` were tested. */
function walk(
  plan: Plan,
  key: SortKey | undefined,
  ranks: readonly Ranks[],
  seen: VisibleRowSet | null,
  start: number,
  end: number,
  mostTests: number,
): Uint32Array | null {
  const { collection } = plan;
  const test = rowPredicate(plan);
  if (!key) return firstRowsInOrder(test, end, mostTests)?.subarray(start) ?? null;
  const found = new Uint32Array(end);
  let length = 0;
  let left = mostTests;
  const column = collection.columns.get(key.path[0])!;
  const { offsets, rows } = column.index;
  const { size } = column.dictionary;
  for (let step = 0; length < end; step++) {
    const code = codeAt(step, size, key.descending);
    const first = offsets[code];
    const last = offsets[code + 1];
    const isMany = last - first > manyRows;
    if (isMany && seen && seen.countWith(column, [{ low: code, high: code + 1 }]) === 0) continue;
    if (ranks.length === 0 || last - first === 1) {
      for (let i = first; i < last && length < end; i++) {
        if (left-- < 0) return null;
        if (test(rows[i])) found[length++] = rows[i];
      }
    } else {
      left -= last - first;
      if (left < 0) return null;
      const same = rows.subarray(first, last).filter(test);
      const wanted = sortedWindow(same, ranks, 0, Math.min(same.length, end - length));
      found.set(wanted, length);
      length += wanted.length;
    }
  }
  return found.subarray(start);
}
