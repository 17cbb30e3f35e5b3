/**
 * The total order of a sort. A rank is a whole number that grows in the wanted direction: ascending it is the code,
 * with null last; descending it counts from the greatest code, with null first. (Filters compare otherwise: to them
 * null is unknown, which has no place in an order.)
 */
import { follow } from '../plan/follow.ts';
import type { SortKey } from '../query/bound.ts';
import type { Collection } from '../store/collection.ts';
import type { View } from '../store/store.ts';
import { positionsInOrder } from './radix-sort.ts';

export type Rank = (row: number) => number;

/**
 * The rank of a row by one sort key. Through a relation to many rows it is the least rank among them, so that each
 * entry stands once, at its first place; nothing related ranks as null.
 */
export function rankBy(view: View, collection: Collection, key: SortKey): Rank {
  return rankOf(view, collection, key).rank;
}

/** `ofNull` is the rank of null: 0 descending, and ascending one more than that of the greatest value. */
function rankOf(view: View, collection: Collection, { path, descending }: SortKey): { rank: Rank; ofNull: number } {
  const [name, ...rest] = path;
  if (rest.length === 0) {
    const { codes, dictionary } = collection.columns.get(name)!;
    const above = dictionary.size + 1;
    return descending
      ? { rank: (row) => (codes[row] === 0 ? 0 : above - codes[row]), ofNull: 0 }
      : { rank: (row) => (codes[row] === 0 ? above : codes[row]), ofNull: above };
  }
  const { target, links } = follow(view, collection, name);
  const { rank, ofNull } = rankOf(view, target, { path: rest, descending });
  const inner = remembered(rank, target.rowCount, rest.length > 1);
  const reachable = view.reachable(target);
  const { offsets, targets } = links.forward;
  const throughLinks: Rank = (row) => {
    let least = -1;
    for (let i = offsets[row], end = offsets[row + 1]; i < end; i++) {
      if (reachable && !reachable.has(targets[i])) continue;
      const one = inner(targets[i]);
      if (least < 0 || one < least) least = one;
    }
    return least < 0 ? ofNull : least;
  };
  return { rank: throughLinks, ofNull };
}

/** To take one rank, compare it and put it in its place, and to follow one link to a rank; in steps. */
const rankCost = 12;
const linkCost = 25;

/** What it costs to sort so many rows by a key, in steps. */
export function sortCost(view: View, collection: Collection, path: readonly string[], rows: number): number {
  const [name, ...rest] = path;
  if (rest.length === 0) return rows * rankCost;
  const { target, links } = follow(view, collection, name);
  const followed = rows * (links.forward.targets.length / Math.max(collection.rowCount, 1));
  const reached = rest.length > 1 ? Math.min(followed, target.rowCount) : followed;
  return rows * rankCost + followed * linkCost + sortCost(view, target, rest, reached);
}

/** A rank that is taken once a row: through several relations to many, the same row is reached over and over. */
function remembered(rank: Rank, rowCount: number, leadsOn: boolean): Rank {
  if (!leadsOn) return rank;
  /** 0: not known yet; otherwise the rank and one. */
  const known = new Uint32Array(rowCount);
  return (row) => {
    if (known[row] === 0) known[row] = rank(row) + 1;
    return known[row] - 1;
  };
}

/** Sorts rows by keys, ties by ascending row, which is ascending id. Linear in the rows: the same list may be given. */
export function sortRows(rows: Uint32Array, ranks: readonly Rank[]): Uint32Array {
  if (rows.length < 2) return rows;
  const ascending = isAscending(rows) ? rows : rows.slice().sort();
  const taken = ranks.map((rank) => take(ascending, rank));
  const sorted = positionsInOrder(taken, rows.length);
  for (let i = 0; i < sorted.length; i++) sorted[i] = ascending[sorted[i]];
  return sorted;
}

/** Fewer rows than this are sorted as they are. */
const fewRows = 256;
/** Into at most so many groups, in rank order, are rows divided to find the ones that a window is in. */
const groupBits = 12;

/** Of ascending rows those from place `start` up to, not including, place `end` in that order. Linear in the rows. */
export function sortedWindow(rows: Uint32Array, ranks: readonly Rank[], start: number, end: number): Uint32Array {
  if (rows.length < fewRows || ranks.length === 0) return sortRows(rows, ranks).subarray(start, end);
  const taken = take(rows, ranks[0]);
  let least = taken[0];
  let greatest = taken[0];
  for (let i = 1; i < taken.length; i++) {
    if (taken[i] < least) least = taken[i];
    else if (taken[i] > greatest) greatest = taken[i];
  }
  if (least === greatest) return sortedWindow(rows, ranks.slice(1), start, end);
  const shift = Math.max(0, 32 - Math.clz32(greatest - least) - groupBits);
  const counts = new Uint32Array(1 << groupBits);
  for (let i = 0; i < taken.length; i++) counts[(taken[i] - least) >>> shift]++;
  let low = 0;
  let before = 0;
  for (; before + counts[low] <= start; low++) before += counts[low];
  let high = low;
  let within = counts[low];
  while (before + within < end) within += counts[++high];
  if (within === rows.length) return sortRows(rows, ranks).subarray(start, end);
  const left = new Uint32Array(within);
  let length = 0;
  for (let i = 0; i < rows.length; i++) {
    const group = (taken[i] - least) >>> shift;
    if (group >= low && group <= high) left[length++] = rows[i];
  }
  return sortedWindow(left, ranks, start - before, end - before);
}

function take(rows: Uint32Array, rank: Rank): Uint32Array {
  const taken = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) taken[i] = rank(rows[i]);
  return taken;
}

function isAscending(rows: Uint32Array): boolean {
  for (let i = 1; i < rows.length; i++) if (rows[i] < rows[i - 1]) return false;
  return true;
}
