/**
 * The total order of a sort. A rank is a whole number that grows in the wanted direction: ascending it is the code,
 * with null last; descending it counts from the greatest code, with null first. (Filters compare otherwise: to them
 * null is unknown, which has no place in an order.)
 */
import { follow } from '../derived/follow.ts';
import type { SortKey } from '../query/bound.ts';
import type { Adjacency } from '../sets/adjacency.ts';
import type { Collection } from '../store/collection.ts';
import type { Column } from '../store/column.ts';
import type { StoreView } from '../store/store.ts';
import { positionsInOrder } from './radix-sort.ts';

/**
 * The keys of a sort that decide: an id is unique, so that no key after it can matter, and ascending it is the order in
 * which rows with equal keys stand anyway.
 */
export function effectiveSortKeys(sort: readonly SortKey[]): readonly SortKey[] {
  const unique = sort.findIndex(({ path }) => path.length === 1 && path[0] === 'id');
  return unique < 0 ? sort : sort.slice(0, sort[unique].descending ? unique + 1 : unique);
}

/** Of a dictionary of `size` values the code at a place of the order: null stands first descending, last ascending. */
export function codeAt(place: number, size: number, descending: boolean): number {
  if (descending) return place === 0 ? 0 : size + 1 - place;
  return place === size ? 0 : place + 1;
}

/** The ranks of rows by one sort key, in the order of the rows. */
export type Ranks = (rows: Uint32Array) => Uint32Array;

/**
 * The ranks by a sort key. Through a relation to many rows it is the least rank among them, so that each entry stands
 * once, at its first place; nothing related ranks as null.
 */
export function ranksBy(view: StoreView, collection: Collection, key: SortKey): Ranks {
  return ranksOf(view, collection, key).ranks;
}

/** `ofNull` is the rank of null: 0 descending, and ascending one more than that of the greatest value. */
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
  const { offsets, targets } = links.forward;
  const ranks: Ranks = (rows) => {
    const reached = reachedFrom(rows, links.forward);
    // where links are more than rows, the same row is reached over and over
    const isMany = reached.length > target.rowCount;
    const ranked = inner.ranks(isMany ? target.allRows.toArray() : reached);
    const taken = new Uint32Array(rows.length);
    let link = 0;
    for (let i = 0; i < rows.length; i++) {
      let least = -1;
      for (let at = offsets[rows[i]], end = offsets[rows[i] + 1]; at < end; at++, link++) {
        if (reachable && !reachable.has(targets[at])) continue;
        const rank = ranked[isMany ? targets[at] : link];
        if (least < 0 || rank < least) least = rank;
      }
      taken[i] = least < 0 ? inner.ofNull : least;
    }
    return taken;
  };
  return { ranks, ofNull: inner.ofNull };
}

/** Apart from `ranksOf`, so that ranks that are kept hold on to nothing but the column. */
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

/** What the links of rows lead to, link by link. */
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

/** To take one rank, compare it and put it in its place, in steps; for a rank that links lead to, and each of them. */
const rankCost = 10;
const linkedRankCost = 40;
const linkCost = 8;
/**
 * What a row costs besides that is reached out of order, so that what is read of it is seldom in the processor's cache:
 * its value, or where its links stand and what they lead to.
 */
const scatteredValueCost = 15;
const scatteredLinksCost = 70;

/** What it costs to sort so many rows by a key, in steps. */
export function sortCost(view: StoreView, collection: Collection, path: readonly string[], rows: number): number {
  return rankingCost(view, collection, path, rows, false);
}

/** `areScattered`: the rows are those that links lead to, one by one, and not taken in their order. */
function rankingCost(
  view: StoreView,
  collection: Collection,
  path: readonly string[],
  rows: number,
  areScattered: boolean,
): number {
  const [name, ...rest] = path;
  if (rest.length === 0) return rows * (rankCost + (areScattered ? scatteredValueCost : 0));
  const { target, links } = follow(view, collection, name);
  const followed = rows * (links.forward.targets.length / Math.max(collection.rowCount, 1));
  const takesAll = followed > target.rowCount;
  const own = rows * (linkedRankCost + (areScattered ? scatteredLinksCost : 0)) + followed * linkCost;
  return own + rankingCost(view, target, rest, takesAll ? target.rowCount : followed, !takesAll);
}

/** Sorts rows by keys, ties by ascending row, which is ascending id. Linear in the rows: the same list may be given. */
export function sortRows(rows: Uint32Array, keys: readonly Ranks[]): Uint32Array {
  if (rows.length < 2) return rows;
  const ascending = isAscending(rows) ? rows : rows.slice().sort();
  const sorted = positionsInOrder(
    keys.map((ranks) => ranks(ascending)),
    rows.length,
  );
  for (let i = 0; i < sorted.length; i++) sorted[i] = ascending[sorted[i]];
  return sorted;
}

/** Fewer rows than this are sorted as they are. */
const fewRows = 256;
/** Into at most so many groups, in rank order, are rows divided to find the ones that a window is in. */
const mostGroupBits = 12;

/**
 * Of different rows in any order those from place `start` up to, not including, place `end` in that order. Linear in
 * the rows.
 */
export function sortedWindow(rows: Uint32Array, keys: readonly Ranks[], start: number, end: number): Uint32Array {
  if (rows.length < fewRows || keys.length === 0) return sortRows(rows, keys).subarray(start, end);
  const taken = keys[0](rows);
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
  if (within === rows.length) return sortRows(rows, keys).subarray(start, end);
  // each row is written, and kept by going on: whether it is within cannot be foreseen
  const left = new Uint32Array(within + 1);
  const groups = high - low;
  let length = 0;
  for (let i = 0; i < rows.length; i++) {
    left[length] = rows[i];
    length += (((taken[i] - least) >>> shift) - low) >>> 0 <= groups ? 1 : 0;
  }
  return sortedWindow(left.subarray(0, within), keys, start - before, end - before);
}

/** How many bits a whole number takes. */
function bitsOf(number: number): number {
  return 32 - Math.clz32(number);
}

function isAscending(rows: Uint32Array): boolean {
  for (let i = 1; i < rows.length; i++) if (rows[i] < rows[i - 1]) return false;
  return true;
}
