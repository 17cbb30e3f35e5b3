/**
 * The total order of a sort. A rank is a whole number that grows in the direction of the sort. Ascending, it is the
 * code, with null last; descending, it counts down from the greatest code, with null first.
 */
import { follow } from '../derived/follow.ts';
import { prefersRankingAll } from '../plan/sort-cost.ts';
import type { SortKey } from '../query/bound.ts';
import type { Adjacency } from '../sets/adjacency.ts';
import type { Collection } from '../store/collection.ts';
import type { Column } from '../store/column.ts';
import { inRowOrder } from '../store/row-order.ts';
import type { StoreView } from '../store/store.ts';
import { positionsInOrder } from './radix-sort.ts';

/** The code at a position of the sorted codes of a dictionary with `size` values: null is first if descending, else last. */
export function codeAt(position: number, size: number, descending: boolean): number {
  if (descending) return position === 0 ? 0 : size + 1 - position;
  return position === size ? 0 : position + 1;
}

/** Returns the ranks of rows by one sort key, in the order of the rows. */
export type Ranks = (rows: Uint32Array) => Uint32Array;

/**
 * Compiles a sort key. Through a to-many relation, a row ranks as the least of its related rows, so each entry comes
 * once, at its first position. A row without related rows ranks as null.
 */
export function ranksBy(view: StoreView, collection: Collection, key: SortKey): Ranks {
  return ranksOf(view, collection, key).ranks;
}

/** `ofNull` is the rank of null: 0 if descending, else one more than the rank of the greatest value. */
function ranksOf(
  view: StoreView,
  collection: Collection,
  { path, descending }: SortKey,
): { ranks: Ranks; ofNull: number } {
  const [name, ...rest] = path;
  if (rest.length === 0) return ranksOfColumn(collection.columns.get(name)!, descending);
  const { target, links } = follow(view, collection, name);
  const inner = ranksOf(view, target, { path: rest, descending });
  const reachable = view.reachable(target);
  const leadsOn = rest.length > 1;
  const { offsets, targets } = links.forward;
  const ranks: Ranks = (rows) => {
    const reached = reachedFrom(rows, links.forward);
    const isMany = prefersRankingAll(reached.length, target);
    const rowsAfter = isMany ? target.allRows.toArray() : leadsOn ? numberRows(reached, target.rowCount) : reached;
    const ranked = inner.ranks(rowsAfter);
    const taken = new Uint32Array(rows.length);
    let link = 0;
    for (let i = 0; i < rows.length; i++) {
      let least = -1;
      for (let at = offsets[rows[i]], end = offsets[rows[i] + 1]; at < end; at++, link++) {
        if (reachable && !reachable.has(targets[at])) continue;
        const rank = ranked[isMany ? targets[at] : leadsOn ? reached[link] : link];
        if (least < 0 || rank < least) least = rank;
      }
      taken[i] = least < 0 ? inner.ofNull : least;
    }
    return taken;
  };
  return { ranks, ofNull: inner.ofNull };
}

/** A function of its own, so that cached ranks retain nothing but the column. */
function ranksOfColumn({ codes, dictionary }: Column, descending: boolean): { ranks: Ranks; ofNull: number } {
  const above = dictionary.size + 1;
  const ofNull = descending ? 0 : above;
  const ranks: Ranks = (rows) => {
    const taken = new Uint32Array(rows.length);
    for (let i = 0; i < rows.length; i++) {
      const code = codes[rows[i]];
      taken[i] = code === 0 ? ofNull : descending ? above - code : code;
    }
    return taken;
  };
  return { ranks, ofNull };
}

/** The targets of the links of rows, link by link. */
function reachedFrom(rows: Uint32Array, { offsets, targets }: Adjacency): Uint32Array {
  let length = 0;
  for (let i = 0; i < rows.length; i++) length += offsets[rows[i] + 1] - offsets[rows[i]];
  const reached = new Uint32Array(length);
  let end = 0;
  for (let i = 0; i < rows.length; i++) {
    for (let at = offsets[rows[i]]; at < offsets[rows[i] + 1]; at++) reached[end++] = targets[at];
  }
  return reached;
}

/** If fewer than one row in this many is numbered, a map is faster than a table of all rows. */
const fewNumbered = 8;

/**
 * Returns the distinct rows, and replaces each row by its number among them. So the links of a row that is reached many
 * times are followed once.
 */
function numberRows(rows: Uint32Array, rowCount: number): Uint32Array {
  const distinct = new Uint32Array(rows.length);
  let length = 0;
  if (rows.length * fewNumbered < rowCount) {
    const numbers = new Map<number, number>();
    for (let i = 0; i < rows.length; i++) {
      let number = numbers.get(rows[i]);
      if (number === undefined) {
        number = length;
        numbers.set(rows[i], number);
        distinct[length++] = rows[i];
      }
      rows[i] = number;
    }
  } else {
    // one more than the number; 0: not numbered
    const numbers = new Uint32Array(rowCount);
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      if (numbers[row] === 0) {
        distinct[length++] = row;
        numbers[row] = length;
      }
      rows[i] = numbers[row] - 1;
    }
  }
  return distinct.subarray(0, length);
}

/** Sorts rows by keys, ties in row order. Takes time linear in the rows, and may return the same list. */
export function sortRows(rows: Uint32Array, keys: readonly Ranks[]): Uint32Array {
  if (rows.length < 2) return rows;
  const ascending = inRowOrder(rows);
  return sortRanked(
    ascending,
    keys.map((ranks) => ranks(ascending)),
  );
}

/** Sorts ascending rows by their ranks, which are computed. */
function sortRanked(rows: Uint32Array, ranked: readonly Uint32Array[]): Uint32Array {
  const sorted = positionsInOrder(ranked, rows.length);
  for (let i = 0; i < sorted.length; i++) sorted[i] = rows[sorted[i]];
  return sorted;
}

/** Fewer rows than this are sorted without grouping them. */
const fewRows = 256;
/** Rows are divided into at most 2^12 groups in rank order, to find the groups that hold the window. */
const mostGroupBits = 12;

/**
 * Selects from distinct rows in any order those at the positions from `start` up to, not including, `end` of the sorted
 * rows. Takes time linear in the rows.
 */
export function sortedWindow(rows: Uint32Array, keys: readonly Ranks[], start: number, end: number): Uint32Array {
  if (rows.length < fewRows || keys.length === 0) return sortRows(rows, keys).subarray(start, end);
  const ascending = inRowOrder(rows);
  return windowOfRanked(ascending, keys, keys[0](ascending), start, end);
}

/** The same for ascending rows whose ranks by the first key are known, so that links are followed once per row. */
function windowOfRanked(
  rows: Uint32Array,
  keys: readonly Ranks[],
  taken: Uint32Array,
  start: number,
  end: number,
): Uint32Array {
  const sorted = () => sortRanked(rows, [taken, ...keys.slice(1).map((ranks) => ranks(rows))]).subarray(start, end);
  if (rows.length < fewRows) return sorted();
  let least = taken[0];
  let greatest = taken[0];
  for (let i = 1; i < taken.length; i++) {
    if (taken[i] < least) least = taken[i];
    else if (taken[i] > greatest) greatest = taken[i];
  }
  if (least === greatest) return sortedWindow(rows, keys.slice(1), start, end);
  const groupBits = Math.min(bitsOf(rows.length), mostGroupBits);
  const shift = Math.max(0, bitsOf(greatest - least) - groupBits);
  const counts = new Uint32Array(1 << groupBits);
  for (let i = 0; i < taken.length; i++) counts[(taken[i] - least) >>> shift]++;
  let low = 0;
  let before = 0;
  for (; before + counts[low] <= start; low++) before += counts[low];
  let high = low;
  let within = counts[low];
  while (before + within < end) within += counts[++high];
  if (within === rows.length) return sorted();
  // writes every row and advances past those within: a branch would be mispredicted
  const left = new Uint32Array(within + 1);
  const leftTaken = new Uint32Array(within + 1);
  const groups = high - low;
  let length = 0;
  for (let i = 0; i < rows.length; i++) {
    left[length] = rows[i];
    leftTaken[length] = taken[i];
    length += (((taken[i] - least) >>> shift) - low) >>> 0 <= groups ? 1 : 0;
  }
  return windowOfRanked(left.subarray(0, within), keys, leftTaken.subarray(0, within), start - before, end - before);
}

/** The number of bits of a whole number. */
function bitsOf(number: number): number {
  return 32 - Math.clz32(number);
}
