import type { SortKey } from '../query/bound.ts';
import { BitSet } from '../sets/bit-set.ts';
import { collectIntersection } from '../sets/bit-set-window.ts';
import { oneCode } from '../sets/code-set.ts';
import { type RowSet, toBitSet, toRowList } from '../sets/row-set.ts';
import type { Collection } from '../store/collection.ts';
import { effectiveSortKeys, windowInRowOrder } from '../store/row-order.ts';
import type { StoreView } from '../store/store.ts';
import { codeAt, type Ranks, ranksBy, sortCost, sortedWindow } from './sort-order.ts';

/** To pass a row in a walk, in steps. */
const passCost = 8;

/** To begin with one name of a sort, however few the rows, in steps. */
const nameCost = 500;

/** What a row costs that is selected, in rows that are passed in a walk. */
const selectingCost = 8;

/** The rows of one page: from `start`, at most `limit`, of `rows` (of which there are `total`) in sort order. */
export function findPage(
  view: StoreView,
  collection: Collection,
  rows: RowSet,
  total: number,
  sort: readonly SortKey[],
  start: number,
  limit: number,
): Uint32Array {
  if (start >= total) return new Uint32Array(0);
  const end = Math.min(start + limit, total);
  const keys = effectiveSortKeys(sort);
  if (keys.length === 0) return windowInRowOrder(rows, start, end);
  chargePage(view, collection, keys, total, end);
  const walks = isWalked(collection, keys, total, end);
  const ranks = keys.map((key) => ranksBy(view, collection, key));
  return walks
    ? walk(collection, toBitSet(rows, collection.rowCount), keys[0], ranks.slice(1), start, end)
    : sortedWindow(toRowList(rows), ranks, start, end);
}

/** Spends what it takes to find a page that ends at place `end` of `total` rows. */
export function chargePage(
  view: StoreView,
  collection: Collection,
  keys: readonly SortKey[],
  total: number,
  end: number,
): void {
  if (keys.length === 0) return;
  const walks = isWalked(collection, keys, total, end);
  const sorted = walks ? keys.slice(1) : keys;
  const costOf = ({ path }: SortKey) => path.length * nameCost + sortCost(view, collection, path, total);
  view.budget.charge(sorted.reduce((cost, key) => cost + costOf(key), 0));
  if (walks) view.budget.charge(Math.min(collection.rowCount, (collection.rowCount / total) * end) * passCost);
}

/**
 * Whether the page is found by walking the index, which passes rowCount / total rows for each that it takes. Selecting
 * looks at every matching row, and several times.
 */
function isWalked({ rowCount }: Collection, [{ path }]: readonly SortKey[], total: number, end: number): boolean {
  return path.length === 1 && total * total * selectingCost > rowCount * end;
}

/** A window of the members in the order of one column's index, value by value; `ranks` order rows of one value. */
function walk(
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
  /** Of `count` members with one value, which come next, those that lie in the window. */
  const take = (count: number, windowOf: (from: number, to: number) => Uint32Array) => {
    if (passed + count > start) {
      const wanted = windowOf(Math.max(0, start - passed), Math.min(count, end - passed));
      found.set(wanted, Math.max(0, passed - start));
    }
    passed += count;
  };
  for (let step = 0; step <= size && passed < end; step++) {
    const code = codeAt(step, size, descending);
    const first = offsets[code];
    const last = offsets[code + 1];
    if (last - first > words.length) {
      // a set of rows is gone through faster than the index where so many have one value
      const codes = oneCode(code);
      const ofValue = column.cachedRows(codes) ?? column.rowsWithCodes(codes);
      if (ranks.length === 0) passed = collectIntersection(ofValue.words, words, found, passed, start, end);
      else {
        const same = BitSet.intersection(ofValue, members).toArray();
        take(same.length, (from, to) => sortedWindow(same, ranks, from, to));
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
        const same = rows.subarray(first, last).filter((row) => members.has(row));
        return sortedWindow(same, ranks, from, to);
      });
    }
  }
  return found;
}
