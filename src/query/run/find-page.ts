import { type RowSet, toBitSet, toRowList } from '../../core/sets/row-set.ts';
import { columnOf } from '../../store/collection.ts';
import { windowInRowOrder } from '../../store/row-order.ts';
import type { Segment } from '../../store/segment.ts';
import type { SortKey } from '../bound.ts';
import type { RequestView } from '../plan/request-view.ts';
import { rankingCost, scanCost } from '../plan/sort-cost.ts';
import { scanIndex } from './index-scan.ts';
import type { PageRequest, PageStrategy } from './page-strategy.ts';
import { compileSortKey } from './ranks.ts';
import { scanBoth } from './scan-both.ts';
import { sortedWindow } from './sort-order.ts';

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
