/**
 * The total order of a sort. A rank is a whole number that grows in the wanted direction: ascending it is the code,
 * with null last; descending it counts from the greatest code, with null first. (Filters compare otherwise: to them
 * null is unknown, which has no place in an order.)
 */
import { follow } from '../derived/follow.ts';
import type { SortKey } from '../query/bound.ts';
import { type Adjacency, linksOfReached, mostLinks } from '../sets/adjacency.ts';
import type { Collection } from '../store/collection.ts';
import type { Column } from '../store/column.ts';
import { inRowOrder } from '../store/row-order.ts';
import type { StoreView } from '../store/store.ts';
import { positionsInOrder } from './radix-sort.ts';

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
  const leadsOn = rest.length > 1;
  const { offsets, targets } = links.forward;
  const ranks: Ranks = (rows) => {
    const reached = reachedFrom(rows, links.forward);
    const isMany = reachesMost(reached.length, target);
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

/**
 * Whether so many links lead to so much of a collection that all its rows are ranked, one after the other, sooner than
 * those that are reached.
 */
function reachesMost(links: number, { rowCount }: Collection): boolean {
  return links * 2 > rowCount;
}

/** Where fewer than one in so many rows are numbered, a map is made sooner than a table of all. */
const fewNumbered = 8;

/**
 * Gives each row once, and puts in place of each row its number among them: from what is reached again and again, links
 * are followed once.
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
    // one more than the number; 0: none yet
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

/** To take one rank, compare it and put it in its place, in steps; for a rank that links lead to, and each of them. */
const rankCost = 10;
const linkedRankCost = 40;
const linkCost = 8;
/** To give a row that links lead to a number, where links lead on from it. */
const numberCost = 10;
/**
 * What a row costs besides that is reached out of order, so that what is read of it is seldom in the processor's cache:
 * its value, or where its links stand and what they lead to.
 */
const scatteredValueCost = 15;
const scatteredLinksCost = 70;

/** What it costs to sort so many rows by a key, whichever they are, in steps. */
export function sortCost(view: StoreView, collection: Collection, path: readonly string[], rows: number): number {
  return rankingCost(view, collection, path, rows, false, null);
}

/** What it costs on average to sort a row that links lead to by a key, in steps. */
export function sortCostOfReached(
  view: StoreView,
  collection: Collection,
  path: readonly string[],
  reachedBy: Adjacency,
): number {
  return rankingCost(view, collection, path, 1, false, reachedBy);
}

/**
 * `areScattered`: the rows are those that links lead to, one by one, and not taken in their order. `before`: those
 * links, where an average is asked for, and not the most.
 */
function rankingCost(
  view: StoreView,
  collection: Collection,
  path: readonly string[],
  rows: number,
  areScattered: boolean,
  before: Adjacency | null,
): number {
  const [name, ...rest] = path;
  if (rest.length === 0) return rows * (rankCost + (areScattered ? scatteredValueCost : 0));
  const { target, links } = follow(view, collection, name);
  const followed = before ? rows * linksOfReached(before, links.forward) : mostLinks(links.forward, Math.ceil(rows));
  const takesAll = reachesMost(followed, target);
  const perLink = linkCost + (rest.length > 1 && !takesAll ? numberCost : 0);
  const own = rows * (linkedRankCost + (areScattered ? scatteredLinksCost : 0)) + followed * perLink;
  const next = takesAll ? target.rowCount : followed;
  return own + rankingCost(view, target, rest, next, !takesAll, before && links.forward);
}

/** Sorts rows by keys, ties in row order. Linear in the rows. May return the same array. */
export function sortRows(rows: Uint32Array, keys: readonly Ranks[]): Uint32Array {
  if (rows.length < 2) return rows;
  const ascending = inRowOrder(rows);
  return sortRanked(
    ascending,
    keys.map((ranks) => ranks(ascending)),
  );
}

/** Sorts ascending rows by their ranks. */
function sortRanked(rows: Uint32Array, ranked: readonly Uint32Array[]): Uint32Array {
  const sorted = positionsInOrder(ranked, rows.length);
  for (let i = 0; i < sorted.length; i++) sorted[i] = rows[sorted[i]];
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
  const ascending = inRowOrder(rows);
  return windowOfRanked(ascending, keys, keys[0](ascending), start, end);
}

/** The same of ascending rows, of which `taken` has the ranks by the first key: links are followed once for each row. */
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
  // each row is written, and kept by going on: whether it is within cannot be foreseen
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

/** How many bits a whole number takes. */
function bitsOf(number: number): number {
  return 32 - Math.clz32(number);
}
