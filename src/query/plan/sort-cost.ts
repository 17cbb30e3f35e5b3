/** What sorting costs, and the choices between ways to sort, which compare these costs. */
import type { CodeRange } from '../../core/sets/code-set.ts';
import type { Column } from '../../store/columns/column.ts';
import type { Adjacency } from '../../store/links/adjacency.ts';
import { mostLinks } from '../../store/links/link-counts.ts';
import type { Segment } from '../../store/segment.ts';
import type { SortKey } from '../bound.ts';
import { maximumRowsCounted } from '../visible/prefix-counts.ts';
import { testingCost } from './cost-model.ts';
import { unit } from './cost-units.ts';
import type { Plan } from './plan.ts';
import { follow, type RequestView, redirectingCost } from './request-view.ts';

/** Rows are read in the order of the segment, or as links lead to them. */
type Access = 'inOrder' | 'scattered';

const valueCost: Record<Access, number> = { inOrder: unit.rank, scattered: unit.rank + unit.scatteredValue };
const linksCost: Record<Access, number> = {
  inOrder: unit.linkedRank,
  scattered: unit.linkedRank + unit.scatteredLinks,
};

/**
 * Returns the expected cost of an index scan for the rows up to `end` of `total` matches, which are assumed to be spread
 * evenly over the values, or over those `within` a range of codes.
 */
export function expectedScanCost(
  { dictionary, codes, index: { offsets } }: Column,
  total: number,
  end: number,
  within: CodeRange | null,
): number {
  const rows = within ? offsets[within.high] - offsets[within.low] : codes.length;
  const values = within ? within.high - within.low : dictionary.size;
  return (end / total) * (rows * unit.scannedRow + values * unit.scannedValue);
}

/** Returns the expected cost of sorting `rows` rows by `keys` keys. */
export function sortingCost(keys: number, rows: number): number {
  return rows * keys * unit.sortedRow;
}

/**
 * Returns an upper bound of the cost of an index scan for the rows up to `end`: all rows that do not match may come
 * first. With further keys, the rows of a value are read together.
 */
export function scanCost({ dictionary, codes }: Column, total: number, end: number, furtherKeys: number): number {
  const rowCount = codes.length;
  const rows = furtherKeys > 0 ? rowCount : rowCount - total + end;
  const bits = (rowCount / 32) * unit.bitWord;
  return bits + rows * unit.scannedRow + Math.min(rows, dictionary.size + 1) * unit.scannedValue;
}

/** Returns an upper bound of the cost of ranking `rows` rows by all keys, whichever rows they are. */
export function rankingCost(view: RequestView, segment: Segment, keys: readonly SortKey[], rows: number): number {
  return keys.reduce(
    (cost, { path, by }) =>
      cost + path.length * unit.sortName + pathCost(view, segment, path, by, Math.ceil(rows), 'inOrder', null),
    0,
  );
}

/**
 * Returns an upper bound of the cost of an early page that tests `tests` rows, counts the visible rows of `counts`
 * values, and ranks rows with equal first keys.
 */
export function earlyPageCost(
  view: RequestView,
  plan: Plan,
  keys: readonly SortKey[],
  tests: number,
  counts: number,
): number {
  const counting = counts * maximumRowsCounted * unit.testedRow;
  return testingCost(plan, tests) + counting + rankingCost(view, plan.segment, keys.slice(1), tests);
}

/** Returns the average cost of sorting one row by one key, among the rows that the links `reachedBy` lead to. */
export function linkedSortCost(
  view: RequestView,
  segment: Segment,
  { path, by }: SortKey,
  reachedBy: Adjacency,
): number {
  return pathCost(view, segment, path, by, 1, 'inOrder', reachedBy);
}

/** `reachedBy`: the links that lead to the rows, for an average; null for an upper bound. */
function pathCost(
  view: RequestView,
  segment: Segment,
  [name, ...rest]: readonly string[],
  by: SortKey['by'],
  rows: number,
  access: Access,
  reachedBy: Adjacency | null,
): number {
  if (rest.length === 0 && by?.kind === 'hash') return rows * (valueCost[access] + unit.hashedText);
  if (rest.length === 0 && by?.kind === 'language') {
    return rows * valueCost[access] + (reachedBy ? 0 : textsOf(segment, name) * unit.collatedValue);
  }
  if (rest.length === 0 && by?.kind !== 'count') return rows * valueCost[access];
  const { target, links } = follow(view, segment, name);
  const followed = reachedBy
    ? rows * view.averageLinksBehind(reachedBy, links.forward)
    : mostLinks(links.forward, rows);
  const redirecting = reachedBy ? 0 : redirectingCost(view, segment, links.forward);
  if (rest.length === 0) return redirecting + rows * linksCost[access] + followed * unit.sortLink;
  const ranksAll = prefersRankingAll(followed, target);
  const perLink = unit.sortLink + (rest.length > 1 && !ranksAll ? unit.numberedRow : 0);
  const own = redirecting + rows * linksCost[access] + followed * perLink;
  const next = ranksAll ? target.rowCount : reachedBy ? followed : Math.ceil(followed);
  const nextAccess = ranksAll ? 'inOrder' : 'scattered';
  return own + pathCost(view, target, rest, by, next, nextAccess, reachedBy && links.forward);
}

/** Returns how many texts the attribute has. */
function textsOf({ collection, delta }: Segment, name: string): number {
  return collection.columns.get(name)!.dictionary.size + (delta?.columns.get(name)?.dictionary.size ?? 0);
}

/** Returns whether ranking all rows of a segment in order costs less than ranking those that `links` links lead to. */
export function prefersRankingAll(links: number, { rowCount }: Segment): boolean {
  return links * valueCost.scattered > rowCount * valueCost.inOrder;
}
