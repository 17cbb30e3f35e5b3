import type { BitSet } from '../../core/sets/bit-set.ts';
import { type RowSet, toBitSet, toRowList } from '../../core/sets/row-set.ts';
import { columnOf } from '../../store/collection.ts';
import type { Delta } from '../../store/overlay/delta.ts';
import { windowInRowOrder } from '../../store/row-order.ts';
import type { Segment } from '../../store/segment.ts';
import type { SortKey } from '../bound.ts';
import type { RequestView } from '../plan/request-view.ts';
import { rankingCost, scanCost } from '../plan/sort-cost.ts';
import { type RankWindow, scanIndex } from './index-scan.ts';
import type { PageRequest, PageStrategy } from './page-strategy.ts';
import { compileSortKey, type RankFunction } from './ranks.ts';
import { sortedWindow } from './sort-order.ts';
import { deltaInOrder, mergedWindow } from './sorted-delta.ts';

/** Finds one page of `matches` by a strategy that `choosePage` returned, and charges it. `count` is their number. */
export function findPage(
  view: RequestView,
  segment: Segment,
  { rows, count: total }: { readonly rows: RowSet; readonly count: number },
  page: PageRequest,
  strategy: PageStrategy,
): Uint32Array {
  const { keys, start } = page;
  const end = Math.min(page.end, total);
  const compiled = (sort: readonly SortKey[]) => sort.map((key) => compileSortKey(view, segment, key));
  switch (strategy.kind) {
    case 'empty':
      return new Uint32Array(0);
    case 'window':
      return windowInRowOrder(rows, start, end);
    case 'indexScan': {
      const [key, ...others] = keys;
      const scan = scanCost(columnOf(segment.collection, key.path[0]), total, end, others.length);
      view.budget.charge(scan + rankingCost(view, segment, others, total));
      const members = toBitSet(rows, segment.rowCount);
      if (segment.delta) return scanBoth(segment, segment.delta, members, key, compiled(keys), { start, end });
      return scanIndex(segment, members, key, compiled(others), { start, end });
    }
    case 'topK':
      view.budget.charge(rankingCost(view, segment, keys, total));
      return sortedWindow(toRowList(rows), compiled(keys), start, end);
    default:
      return strategy satisfies never;
  }
}

/**
 * An index scan of the collection, in which the members of the delta take their places. `ranks` are those of all keys.
 * With n members in the delta, the page holds no row of the collection that is more than n places before it.
 */
export function scanBoth(
  segment: Segment,
  delta: Delta,
  members: BitSet,
  key: SortKey,
  ranks: readonly RankFunction[],
  { start, end }: RankWindow,
): Uint32Array {
  const stored = storedMembers(members, delta);
  const storedCount = stored.count();
  const changed = deltaInOrder(delta, key, (row) => members.has(row), end);
  const first = Math.min(Math.max(0, start - changed.length), storedCount);
  const last = Math.max(first, Math.min(end, storedCount));
  const rows = scanIndex(segment, stored, key, ranks.slice(1), { start: first, end: last });
  return mergedWindow(rows, changed, ranks, start - first, end - first);
}

/** The members that are rows of the collection with its values. */
function storedMembers(members: BitSet, { replaced, rows }: Delta): BitSet {
  const stored = members.clone();
  const { words } = replaced;
  for (let i = 0; i < words.length; i++) stored.words[i] &= ~words[i];
  // new rows follow those of the collection
  for (let i = rows.length - 1; i >= 0 && rows[i] >= replaced.size; i--) stored.delete(rows[i]);
  return stored;
}
