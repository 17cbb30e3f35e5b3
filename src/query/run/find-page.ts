import { BitSet, collectIntersection } from '../../core/sets/bit-set.ts';
import { type CodeRange, oneCode } from '../../core/sets/code-set.ts';
import { countMembers, membersOf, type RowSet, toBitSet, toRowList } from '../../core/sets/row-set.ts';
import type { Column } from '../../store/columns/column.ts';
import type { Delta } from '../../store/overlay/delta.ts';
import { windowInRowOrder } from '../../store/row-order.ts';
import type { Segment } from '../../store/segment.ts';
import type { SortKey } from '../bound.ts';
import type { RequestView } from '../plan/request-view.ts';
import { rankingCost, scanCost } from '../plan/sort-cost.ts';
import type { RankFunction } from './computed-ranks.ts';
import type { PageRequest, PageStrategy } from './page-strategy.ts';
import { codeAt, codeOrder, compileSortKey, compileWith, positionsOf, sortedColumn } from './ranks.ts';
import { sortedWindow } from './sort-order.ts';
import { deltaInOrder, mergedWindow } from './sorted-delta.ts';

/** Rows, and their number. */
interface Matches {
  readonly rows: RowSet;
  readonly count: number;
}

/** Returns what finding a page of `total` matches costs at most, by a strategy that `choosePage` returned. */
export function pageCost(
  view: RequestView,
  segment: Segment,
  total: number,
  { keys, end }: PageRequest,
  { kind }: PageStrategy,
): number {
  if (kind !== 'topK' && kind !== 'indexScan') return 0;
  const [key, ...others] = keys;
  // a request is charged as if there were no joined columns, so that its cost does not depend on earlier requests
  if (kind === 'topK' || key.path.length > 1) return rankingCost(view, segment, keys, total);
  const scan = scanCost(sortedColumn(segment.collection, key), total, Math.min(end, total), others.length);
  return scan + rankingCost(view, segment, others, total);
}

/** Finds one page of matches by a strategy that `choosePage` returned. Charges nothing. */
export function findPage(
  view: RequestView,
  segment: Segment,
  { rows, count: total }: Matches,
  page: PageRequest,
  strategy: PageStrategy,
): Uint32Array {
  const { keys, start } = page;
  const end = Math.min(page.end, total);
  const [key, ...others] = keys;
  const rank = (each: SortKey) => compileSortKey(view, segment, each, total);
  switch (strategy.kind) {
    case 'empty':
      return new Uint32Array(0);
    case 'window':
      return windowInRowOrder(rows, start, end);
    case 'indexScan': {
      const { joined, within } = strategy;
      const { collection, delta } = segment;
      const members = toBitSet(rows, segment.rowCount);
      if (delta && !joined) return scanBoth(segment, delta, members, key, keys.map(rank), { start, end }, within);
      const column = joined ?? sortedColumn(collection, key);
      return scanIndex(column, members, key, others.map(rank), { start, end }, within);
    }
    case 'topK': {
      const ranks = [compileWith(strategy.joined, view, segment, key), ...others.map(rank)];
      return sortedWindow(toRowList(rows), ranks, start, end);
    }
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
  within: CodeRange | null,
): Uint32Array {
  const stored = storedMembers(members, delta);
  const storedCount = stored.count();
  const changed = deltaInOrder(delta, key, (row) => members.has(row), end);
  const first = Math.min(Math.max(0, start - changed.length), storedCount);
  const last = Math.max(first, Math.min(end, storedCount));
  const column = sortedColumn(segment.collection, key);
  const rows = scanIndex(column, stored, key, ranks.slice(1), { start: first, end: last }, within);
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

/** The positions from `start` up to, not including, `end` among sorted rows. */
export interface RankWindow {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the members in a window, sorted by a column of their segment: reads its value index in the order of
 * the sort. `others` sort the rows of one value. The window ends at the last member or before. All members have codes
 * `within` a range, if it is not null.
 */
export function scanIndex(
  column: Column,
  members: BitSet,
  key: SortKey,
  others: readonly RankFunction[],
  { start, end }: RankWindow,
  within: CodeRange | null = null,
): Uint32Array {
  const { offsets, rows } = column.index;
  const { size } = column.dictionary;
  const order = codeOrder(size, key);
  const { words } = members;
  const page = new Uint32Array(end - start);
  // the number of members that precede the current value
  let passed = 0;
  const [from, to] = positionsOf(order, within);
  for (let position = from; position < to && passed < end; position++) {
    const code = codeAt(position, order);
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
