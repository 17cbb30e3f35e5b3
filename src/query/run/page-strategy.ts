/** How a page of sorted rows is found: the strategies, and the choice between them by cost. */
import type { CodeRange } from '../../core/sets/code-set.ts';
import type { Column } from '../../store/columns/column.ts';
import { effectiveSortKeys } from '../../store/row-order.ts';
import type { Segment } from '../../store/segment.ts';
import type { Condition, SortKey } from '../bound.ts';
import type { Comparison } from '../operators.ts';
import { averageCost, testingCost } from '../plan/cost-model.ts';
import { unit } from '../plan/cost-units.ts';
import type { Plan } from '../plan/plan.ts';
import type { RequestView } from '../plan/request-view.ts';
import { expectedScanCost, rankingCost, scanCost, sortingCost } from '../plan/sort-cost.ts';
import type { VisibleSet } from '../visible/visible-set.ts';
import { joinedColumn, sortedColumn } from './ranks.ts';

/**
 * Tests rows in sort order until the page is full, without finding all matches. Chosen before the filter runs. On a
 * million entries, the best rated articles by date took 257 µs without it, and take 13.
 */
export interface EarlyPage {
  readonly kind: 'early';
  /** The number of all matches. */
  readonly total: number;
  /** The number of rows that are tested at most. */
  readonly maximumTests: number;
  /** The number of values whose rows in `visible` are counted at most. */
  readonly maximumCounts: number;
  readonly visible: VisibleSet | null;
  /** The codes of the matches in the first sort key's column, if the filter compares it. */
  readonly within: CodeRange | null;
}

/** How a page is found among the matches of a filter. */
export type PageStrategy =
  /** The page is beyond the last row. */
  | { readonly kind: 'empty' }
  /** Sorted by id: cuts the page out of the matches. */
  | { readonly kind: 'window' }
  /**
   * Reads the value index of the first sort key in order, and skips rows that do not match. By the name of an artist, the first
   * page of 50,000 tracks took 930 µs when all were ranked, and takes 60.
   */
  | ({ readonly kind: 'indexScan' } & SortedPage)
  /** Ranks all matches, and sorts as few of them as the page needs. */
  | ({ readonly kind: 'topK' } & SortedPage);

interface SortedPage extends ScannedCodes {
  /** What finding the page is expected to cost. */
  readonly expectedCost: number;
}

/** What an index scan reads. */
interface ScannedCodes {
  /** The column of a first key that follows relations, if there is one. */
  readonly joined: Column | null;
  /**
   * The codes of the matches in the first sort key's column, if the filter compares it: an index scan reads only these. By day
   * up to a day, the first page of 9,000 articles took 84 µs when all days were read, and takes 40.
   */
  readonly within: CodeRange | null;
}

/** The part of the sorted matches that a query requests. `keys` are effective sort keys. */
export interface PageRequest {
  readonly keys: readonly SortKey[];
  readonly start: number;
  readonly end: number;
}

/** An early page gives up after this many times the expected number of row tests, plus `additionalTests`. */
const patience = 8;
const additionalTests = 256;

/** An early page requires a filter of at most this many ranges of codes, and counts the rows of at most this many values. */
const maximumRanges = 8;
const maximumCounts = 8;

/** Comparisons whose codes are found by looking operands up in a dictionary. */
const lookups: ReadonlySet<Comparison> = new Set<Comparison>([
  'equal',
  'less',
  'lessOrEqual',
  'greater',
  'greaterOrEqual',
  'between',
  'oneOf',
  'isNull',
]);

/**
 * Returns whether a filter is one lookup in a column. Only then an early page is considered: planning it before the
 * caches are asked searches no text.
 */
export function isSingleLookup(conditions: readonly Condition[]): boolean {
  const [condition, ...others] = conditions;
  return others.length === 0 && condition?.kind === 'value' && lookups.has(condition.comparison);
}

export function pageRequest(sort: readonly SortKey[], start: number, limit: number, isInIdOrder = true): PageRequest {
  return { keys: effectiveSortKeys(sort, isInIdOrder), start, end: start + limit };
}

/**
 * Returns the early page strategy if it is expected to cost less than finding all matches. The filter must be one
 * lookup in a column, so that prefix counts give the number of matches. The time that an early page takes is bounded by
 * the tests and counts of the result, and does not grow with the rows.
 */
export function chooseEarlyPage(plan: Plan, { keys, end }: PageRequest): EarlyPage | null {
  const { rowCount } = plan.segment;
  const [scopePart, values] = plan.kind === 'and' ? visibleAndValues(plan.parts) : [null, plan];
  if (values?.kind !== 'values' || values.codes.kind !== 'ranges') return null;
  const { ranges } = values.codes;
  if (values.changed && !scopePart) return null;
  // all matches together do not fill the page: known before any cost is computed, as for a lookup by slug
  if (end > values.estimate) return null;
  if (ranges.length > maximumRanges || (keys.length > 0 && (keys[0].path.length > 1 || keys[0].by))) return null;
  // assumes that the matches are spread evenly over the visible rows
  const matches = values.estimate * (scopePart ? scopePart.estimate / rowCount : 1);
  const tests = (end * rowCount) / matches;
  // without a match the costs may be NaN, so this is not written with >=
  if (!(testingCost(plan, tests) < averageCost(plan))) return null;
  const total = scopePart ? scopePart.visible.countWith(values.column, ranges, values.changed) : values.estimate;
  if (end > total) return null;
  const maximumTests = Math.ceil(tests * patience) + additionalTests;
  const within = keys.length > 0 ? codesWithin(plan, sortedColumn(plan.segment.collection, keys[0])) : null;
  return { kind: 'early', total, maximumTests, maximumCounts, visible: scopePart?.visible ?? null, within };
}

/**
 * Returns a range without null that holds the codes of all stored rows of a plan in a column. Null if no comparison of the
 * plan tells one.
 */
function codesWithin(plan: Plan, column: Column): CodeRange | null {
  if (plan.kind === 'and') {
    for (const part of plan.parts) {
      const within = codesWithin(part, column);
      if (within) return within;
    }
    return null;
  }
  if (plan.kind !== 'values' || plan.column !== column || plan.codes.kind !== 'ranges') return null;
  const { ranges } = plan.codes;
  if (ranges.length === 0 || ranges[0].low === 0) return null;
  return { low: ranges[0].low, high: ranges[ranges.length - 1].high };
}

/** Chooses between the strategies for matches that have been found. */
export function choosePage(
  view: RequestView,
  segment: Segment,
  total: number,
  { keys, start, end }: PageRequest,
  plan: Plan | null,
): PageStrategy {
  if (start >= total) return { kind: 'empty' };
  if (keys.length === 0) return { kind: 'window' };
  const [key] = keys;
  const joined = joinedColumn(view, segment, key, total);
  // what is charged, as if there were no joined columns, bounds the scan of one
  const maximum = joined ? rankingCost(view, segment, [key], total) : undefined;
  const isStored = key.path.length === 1 && !key.by;
  const within = plan && isStored ? codesWithin(plan, sortedColumn(segment.collection, key)) : null;
  const ranking = total * (unit.rank + unit.selectedRow);
  return chooseSorted(segment, total, { keys, start, end }, { joined, within }, ranking, maximum);
}

/** Chooses between the strategies for all matches, whose page was found by reading `scanned`. Nothing is charged. */
export function chooseWhole(
  segment: Segment,
  total: number,
  keys: readonly SortKey[],
  scanned: ScannedCodes,
): PageStrategy & SortedPage {
  const ranking = total * unit.rank + sortingCost(1, total);
  return chooseSorted(segment, total, { keys, start: 0, end: total }, scanned, ranking);
}

/**
 * Chooses between ranking and an index scan. `ranking` is the expected cost of the first one, and `maximum` the most that a
 * scan of a joined column may cost.
 */
export function chooseSorted(
  { collection }: Segment,
  total: number,
  { keys, start, end }: PageRequest,
  { joined, within }: ScannedCodes,
  ranking: number,
  maximum = Infinity,
): PageStrategy & SortedPage {
  const [key, ...others] = keys;
  const last = Math.min(end, total);
  const column = key.path.length === 1 && !key.by ? sortedColumn(collection, key) : joined;
  const mayScan = column !== null && (!joined || scanCost(joined, total, last, others.length) <= maximum);
  const scan = mayScan ? expectedScanCost(column, total, last, within) : Infinity;
  const expectedCost = Math.min(scan, ranking) + sortingCost(others.length, last - start);
  return { kind: scan < ranking ? 'indexScan' : 'topK', joined, within, expectedCost };
}

/** Describes a strategy, as `explain` prints it. */
export function printStrategy(
  { kind, within }: Pick<PageStrategy | EarlyPage, 'kind'> & Partial<Pick<ScannedCodes, 'within'>>,
  { keys: [key], start, end }: PageRequest,
): string {
  const direction = key?.descending ? 'descending' : 'ascending';
  const nulls = key?.nullIsLeast ? `, nulls ${key.descending ? 'last' : 'first'}` : '';
  const order = `${key ? nameOf(key) : 'id'} ${direction}${nulls}`;
  const rows = `rows ${start} to ${end} by ${order}`;
  const values = within ? ', values of the filter only' : '';
  switch (kind) {
    case 'empty':
      return `none, the page begins after the last row`;
    case 'early':
      return `early page, ${rows}${values}`;
    case 'window':
      return `window of ids, ${rows}`;
    case 'indexScan':
      return `index scan, ${rows}${values}`;
    case 'topK':
      return `top-k selection, ${rows}`;
    default:
      return kind satisfies never;
  }
}

function nameOf({ path, by }: SortKey): string {
  switch (by?.kind) {
    case undefined:
      return path.join('.');
    case 'hash':
      return `$random:${by.seed}`;
    case 'count':
      return `${path.join('.')}.$count`;
    case 'language':
      return `${path.join('.')} (${by.language})`;
    default:
      return by satisfies never;
  }
}

/** The two parts of "visible, and with one of the values", in this order. */
function visibleAndValues(parts: readonly Plan[]): [(Plan & { kind: 'visible' }) | null, Plan | undefined] {
  if (parts.length !== 2) return [null, undefined];
  const [one, other] = parts;
  if (one.kind === 'visible') return [one, other];
  return other.kind === 'visible' ? [other, one] : [null, undefined];
}
