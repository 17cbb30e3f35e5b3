/**
 * The cost model: what planning, filtering and sorting cost, in the units of base/cost-budget.ts (about a nanosecond).
 * Every estimate follows from numbers of rows and links and never from caches, so the same request to the same content
 * is always rejected or never. What searching texts costs is charged where texts are read (store/), and what writing a
 * reply costs where it is written (reply/cost.ts).
 */
import { follow } from '../derived/follow.ts';
import type { SortKey } from '../query/bound.ts';
import { type Adjacency, linksOfReached, linksOfRow, mostLinks } from '../sets/adjacency.ts';
import type { CodeSet } from '../sets/code-set.ts';
import type { Collection } from '../store/collection.ts';
import type { StoreView } from '../store/store.ts';
import type { Plan, SemiJoin } from './plan.ts';

/** Costs of single operations. Those that read out of order include a miss in the processor's cache. */
const unit = {
  /** Counting the rows of one code of a set, and reading one word of it. */
  countedCode: 3,
  codeWord: 2,
  /** Testing one row: a call and a read of its code. */
  testedRow: 8,
  /** Adding one row to a set. */
  addedRow: 2,
  /** Reading where the links of one row begin, on the way back through a relation, and following one of them. */
  reversedRow: 16,
  reversedLink: 5,
  /** Testing whether a row is linked to anything. */
  unlinkedRow: 5,
  /** Passes over the words of a bit set that is made, combined with another and counted. */
  passesOverBits: 3,
  /** Starting one name of a sort path, however few the rows. */
  sortName: 500,
  /** Reading, comparing and moving one rank. */
  rank: 10,
  /** Ranking a row through its links, following one of them, and numbering the row that it leads to. */
  linkedRank: 40,
  sortLink: 8,
  numberedRow: 10,
  /** Additional cost of a row that is read out of order: its value, or its links and their targets. */
  scatteredValue: 15,
  scatteredLinks: 70,
  /** Skipping one row in an index scan. */
  scannedRow: 8,
} as const;

/** Selecting one row of a top-k selection costs as much as skipping this many rows of an index scan. */
const scannedRowsPerSelected = 8;

/** Testing one row in sort order costs as much as adding this many rows to the set of all matches. */
export const addedRowsPerTest = 64;

/** Returns the cost of counting the rows that have one of the codes. */
export function countingCost(set: CodeSet): number {
  switch (set.kind) {
    case 'ranges':
      return 0;
    case 'list':
      return set.codes.length * unit.countedCode;
    case 'bits':
      return set.codes.words.length * unit.codeWord + set.codes.count() * unit.countedCode;
    default:
      return set satisfies never;
  }
}

/** Returns the cost of testing one row. */
export function rowTestCost(plan: Plan): number {
  switch (plan.kind) {
    case 'semiJoin':
      return unit.testedRow + linksOfRow(plan.links.forward) * rowTestCost(plan.inner);
    case 'antiJoin':
      return rowTestCost(plan.inner);
    case 'and':
    case 'or':
      return plan.parts.reduce((total, part) => total + rowTestCost(part), 0);
    default:
      return unit.testedRow;
  }
}

/** Returns the cost of finding all rows of a plan, with rows that have as many links as rows have on average. */
export function averageCost(plan: Plan): number {
  return filterCost(plan, false);
}

/** Returns an upper bound of the cost of finding all rows of a plan, whichever rows have most links. */
export function maximumCost(plan: Plan): number {
  return filterCost(plan, true);
}

function filterCost(plan: Plan, atMost: boolean): number {
  const words = plan.collection.rowCount / 32;
  switch (plan.kind) {
    case 'semiJoin': {
      const unlinked = plan.matchesUnlinked ? plan.collection.rowCount * unit.unlinkedRow : 0;
      return unit.passesOverBits * words + unlinked + reverseCost(plan, atMost) + filterCost(plan.inner, atMost);
    }
    case 'antiJoin':
      return unit.passesOverBits * words + filterCost(plan.inner, atMost);
    case 'and':
    case 'or':
      return plan.parts.reduce((total, part) => total + filterCost(part, atMost), words);
    case 'values':
      return unit.passesOverBits * words + unit.addedRow * rowsRead(plan);
    default:
      return words;
  }
}

/** The cost of following links back from the rows of the inner plan. */
function reverseCost({ links: { reverse }, inner: { estimate } }: SemiJoin, atMost: boolean): number {
  const links = atMost ? mostLinks(reverse, estimate) : estimate * linksOfRow(reverse);
  return estimate * unit.reversedRow + links * unit.reversedLink;
}

/** How many rows and codes are read to find the rows of codes. */
function rowsRead({ codes, column, estimate }: Plan & { kind: 'values' }): number {
  switch (codes.kind) {
    case 'ranges':
      // long ranges are read from bitmaps
      return Math.min(estimate, column.codes.length / 32);
    case 'list':
      return 4 * estimate;
    case 'bits':
      return 2 * column.codes.length;
    default:
      return codes satisfies never;
  }
}

/**
 * Returns whether an index scan costs less than a top-k selection. A scan reads `rowCount / total` rows for each row of
 * the pages up to `end`. A selection reads each of the `total` matches several times.
 */
export function prefersIndexScan(rowCount: number, total: number, end: number): boolean {
  return rowCount * end < total * total * scannedRowsPerSelected;
}

/** Returns the cost of sorting `total` matches as far as the page that ends at `end`. */
export function pageCost(
  view: StoreView,
  collection: Collection,
  keys: readonly SortKey[],
  total: number,
  end: number,
): number {
  if (keys.length === 0) return 0;
  const { rowCount } = collection;
  const scans = keys[0].path.length === 1 && prefersIndexScan(rowCount, total, end);
  const ranked = scans ? keys.slice(1) : keys;
  const ranking = ranked.reduce(
    (cost, { path }) => cost + path.length * unit.sortName + sortCost(view, collection, path, total),
    0,
  );
  return ranking + (scans ? Math.min(rowCount, (rowCount / total) * end) * unit.scannedRow : 0);
}

/** Returns an upper bound of the cost of sorting `rows` rows by one path, whichever rows they are. */
function sortCost(view: StoreView, collection: Collection, path: readonly string[], rows: number): number {
  return rankingCost(view, collection, path, rows, false, null);
}

/** Returns the average cost of sorting one row that `reachedBy` leads to by one path. */
export function linkedSortCost(
  view: StoreView,
  collection: Collection,
  path: readonly string[],
  reachedBy: Adjacency,
): number {
  return rankingCost(view, collection, path, 1, false, reachedBy);
}

/** `isScattered`: the rows are read out of order. `reachedBy`: the links that lead to the rows; null for an upper bound. */
function rankingCost(
  view: StoreView,
  collection: Collection,
  path: readonly string[],
  rows: number,
  isScattered: boolean,
  reachedBy: Adjacency | null,
): number {
  const [name, ...rest] = path;
  if (rest.length === 0) return rows * (unit.rank + (isScattered ? unit.scatteredValue : 0));
  const { target, links } = follow(view, collection, name);
  const followed = reachedBy
    ? rows * linksOfReached(reachedBy, links.forward)
    : mostLinks(links.forward, Math.ceil(rows));
  const ranksAll = prefersRankingAll(followed, target);
  const perLink = unit.sortLink + (rest.length > 1 && !ranksAll ? unit.numberedRow : 0);
  const own = rows * (unit.linkedRank + (isScattered ? unit.scatteredLinks : 0)) + followed * perLink;
  const next = ranksAll ? target.rowCount : followed;
  return own + rankingCost(view, target, rest, next, !ranksAll, reachedBy && links.forward);
}

/** Returns whether ranking all rows of a collection in order costs less than ranking those that `links` links lead to. */
export function prefersRankingAll(links: number, { rowCount }: Collection): boolean {
  return links * 2 > rowCount;
}
