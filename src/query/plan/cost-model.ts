/**
 * What planning and filtering cost. The cost of a plan is an upper bound of what run/run-plan.ts does with it, node by
 * node: a node is charged for the most rows that its inner plan can find, and for the most links that this many rows can
 * have.
 */

import { wordCount } from '../../core/sets/bit-set.ts';
import type { CodeSet } from '../../core/sets/code-set.ts';
import { areReadBySlices } from '../../store/columns/column.ts';
import { shortRange } from '../../store/columns/range-bitmaps.ts';
import type { Adjacency } from '../../store/links/adjacency.ts';
import { averageLinksPerRow, countLinks, linkCountOf, mostLinks } from '../../store/links/link-counts.ts';
import type { Segment } from '../../store/segment.ts';
import type { JoinedValues } from '../visible/joined-columns.ts';
import { unit } from './cost-units.ts';
import type { Plan, SemiJoin, Values } from './plan.ts';
import { fewRowsOf } from './plan.ts';

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

/** Returns the average cost of finding all rows of a plan: its rows have as many links as all rows have on average. */
export function averageCost(plan: Plan): number {
  return estimateCost(plan, averageLinks).cost;
}

/**
 * Returns an upper bound of the cost of finding all rows of a plan. The rows of a comparison are counted exactly. A
 * semi-join follows each link of its relation at most once. It finds at most as many rows as it follows links, or every
 * row if rows without links match.
 */
export function maximumCost(plan: Plan): number {
  return estimateCost(plan, mostLinks).cost;
}

/** How many links a number of rows have together. */
type CountLinks = (links: Adjacency, rows: number) => number;

const averageLinks: CountLinks = (links, rows) => Math.ceil(rows * averageLinksPerRow(links));

/** A number of rows, and the cost of finding them. */
interface RowsAndCost {
  readonly rows: number;
  readonly cost: number;
}

function estimateCost(plan: Plan, countLinks: CountLinks): RowsAndCost {
  const { rowCount } = plan.segment;
  const words = wordsOf(plan.segment);
  switch (plan.kind) {
    case 'values':
      return { rows: plan.estimate, cost: unit.bitWord * words + readingCost(plan, words) + changedCost(plan) };
    case 'semiJoin': {
      // a request is charged as if there were no joined columns, so that its cost does not depend on earlier requests
      if (plan.joined && countLinks === averageLinks) return joinedCost(plan, plan.joined, words);
      const inner = estimateCost(plan.inner, countLinks);
      const links = fewLinks(plan) ?? countLinks(plan.links.reverse, inner.rows);
      const rows = plan.matchesUnlinked ? rowCount : Math.min(rowCount, Math.floor(links));
      const bits = unit.bitWord * (words + wordsOf(plan.inner.segment));
      const targets = Math.min(inner.rows * unit.reversedRow, plan.inner.segment.rowCount * unit.orderedRow);
      const followed = targets + links * unit.reversedLink;
      return { rows, cost: inner.cost + bits + followed + unlinkedCost(plan) };
    }
    case 'antiJoin':
      return { rows: rowCount, cost: unit.bitWord * words + estimateCost(plan.inner, countLinks).cost };
    case 'and':
    case 'or': {
      let fewest = Infinity;
      let all = 0;
      let cost = unit.combinedWord * words;
      for (const part of plan.parts) {
        const found = estimateCost(part, countLinks);
        fewest = Math.min(fewest, found.rows);
        all += found.rows;
        cost += found.cost;
      }
      return { rows: plan.kind === 'and' ? fewest : Math.min(rowCount, all), cost };
    }
    default:
      return { rows: plan.estimate, cost: unit.combinedWord * words };
  }
}

/** The cost of reading the rows of a joined column. */
function joinedCost({ segment }: SemiJoin, { column, codes, uncertain }: JoinedValues, words: number): RowsAndCost {
  const rows = Math.min(segment.rowCount, column.countRows(codes) + uncertain.length);
  const read = readingCost({ column, codes, estimate: rows }, words);
  return { rows, cost: unit.bitWord * words + read + uncertain.length * unit.testedRow };
}

/** The links of so few rows of a comparison are counted one by one, which takes less than a microsecond. */
const fewRows = 32;

/**
 * Returns the number of links that a semi-join follows back from few rows of a comparison; null for other semi-joins.
 * Without it, one entry with few links would be charged like the one with most, and so would every relation after it.
 */
function fewLinks({ inner, links }: SemiJoin): number | null {
  if (inner.kind !== 'values' || inner.estimate > fewRows) return null;
  return countLinks(links.reverse, fewRowsOf(inner));
}

/** The cost of reading the rows that have one of the codes. */
function readingCost(
  { codes, column, estimate }: Pick<Values, 'codes' | 'column' | 'estimate'>,
  words: number,
): number {
  switch (codes.kind) {
    case 'ranges':
      // a range is read from bitmaps if it has more rows than a bit set has words
      return unit.rangeRow * Math.min(estimate, codes.ranges.length * Math.max(words, shortRange));
    case 'list':
      return codes.codes.length * unit.countedCode + estimate * unit.listedRow;
    case 'bits':
      return areReadBySlices(codes.codes.count(), column.codes.length)
        ? countingCost(codes) + estimate * unit.listedRow
        : column.codes.length * unit.maskedRow;
    default:
      return codes satisfies never;
  }
}

/** The cost of reading the delta rows that have one of the codes, and of leaving out the rows that are replaced. */
function changedCost({ changed, segment }: Values): number {
  return changed ? changed.delta.rows.length * unit.listedRow + wordsOf(segment) * unit.combinedWord : 0;
}

/** The cost of finding the rows that are linked to nothing reachable. */
function unlinkedCost({ matchesUnlinked, segment, links, reachable }: SemiJoin): number {
  if (!matchesUnlinked) return 0;
  const tested = reachable ? linkCountOf(links.forward) : 0;
  return segment.rowCount * unit.unlinkedRow + tested * unit.unlinkedLink;
}

/**
 * Returns an upper bound of the cost of testing a number of rows by a row predicate. A row that several links lead to is
 * tested once, unless its test is a single comparison.
 */
export function testingCost(plan: Plan, rows: number): number {
  switch (plan.kind) {
    case 'semiJoin': {
      const { inner } = plan;
      const links = mostLinks(plan.links.forward, rows);
      const tested = isMemoised(inner) ? Math.min(Math.ceil(links), inner.segment.rowCount) : links;
      const followed = isMemoised(inner) ? links * unit.testedRow + wordsOf(inner.segment) * unit.bitWord : 0;
      return rows * unit.testedRow + followed + testingCost(inner, tested);
    }
    case 'antiJoin':
      return testingCost(plan.inner, rows);
    case 'and':
    case 'or':
      return plan.parts.reduce((total, part) => total + testingCost(part, rows), 0);
    case 'values':
      return rows * unit.testedRow + (plan.codes.kind === 'list' ? compilingCost(plan, plan.codes.codes.length) : 0);
    default:
      return rows * unit.testedRow;
  }
}

/** The cost of turning a list of codes into bits. */
function compilingCost({ column }: Values, codes: number): number {
  return codes * unit.countedCode + (column.dictionary.size / 32) * unit.combinedWord;
}

/** Returns whether a row predicate remembers the rows that it has tested: the test costs more than reading a result. */
export function isMemoised({ kind }: Plan): boolean {
  return kind === 'semiJoin' || kind === 'antiJoin' || kind === 'and' || kind === 'or';
}

/** The length of a bit set of the rows of a segment. */
function wordsOf({ rowCount }: Segment): number {
  return wordCount(rowCount);
}
