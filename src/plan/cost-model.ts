import { linksOfRow, mostLinks } from '../sets/adjacency.ts';
import type { Plan, SemiJoin } from './plan.ts';

/** What a plan costs is said in steps, as base/cost-budget.ts counts them. */

/** What one row costs that is tested: a call, and where its value stands. */
const rowCost = 8;
/** What a row costs that is added to a set. */
const memberCost = 2;
/** What a row costs from which links lead back, whose number cannot be foreseen, and each of the links. */
const targetCost = 16;
const linkCost = 5;
/** To see whether a row is linked to anything. */
const unlinkedCost = 5;
/** How often the words of a set are gone through that is made, joined with another and counted. */
const setWords = 3;

export function rowTestCost(plan: Plan): number {
  switch (plan.kind) {
    case 'hop': {
      const perRow = plan.links.forward.targets.length / Math.max(plan.collection.rowCount, 1);
      return rowCost + perRow * rowTestCost(plan.inner);
    }
    case 'except':
      return rowTestCost(plan.inner);
    case 'and':
    case 'or':
      return plan.parts.reduce((total, part) => total + rowTestCost(part), 0);
    default:
      return rowCost;
  }
}

/** Returns the cost of finding all rows of a plan: on average, or at most, whichever rows the request selects. */
export function setCost(plan: Plan, atMost = false): number {
  const words = plan.collection.rowCount / 32;
  switch (plan.kind) {
    case 'hop': {
      const looked = plan.unlinked ? plan.collection.rowCount * unlinkedCost : 0;
      return setWords * words + looked + backCost(plan, atMost) + setCost(plan.inner, atMost);
    }
    case 'and':
    case 'or':
      return plan.parts.reduce((total, part) => total + setCost(part, atMost), words);
    case 'except':
      return setWords * words + setCost(plan.inner, atMost);
    case 'values':
      return setWords * words + memberCost * membersOf(plan);
    default:
      return words;
  }
}

/** What it costs to go back from the rows of the inner plan, at most or on average. */
function backCost({ links: { reverse }, inner }: SemiJoin, atMost: boolean): number {
  const { estimate } = inner;
  const links = atMost ? mostLinks(reverse, estimate) : estimate * linksOfRow(reverse);
  return estimate * targetCost + links * linkCost;
}

/** How many rows and codes are looked at to find the rows of values. */
function membersOf({ codes, column, estimate }: Plan & { kind: 'values' }): number {
  switch (codes.kind) {
    case 'ranges':
      // a long range is read from bitmaps
      return Math.min(estimate, column.codes.length / 32);
    case 'list':
      return 4 * estimate;
    case 'bits':
      return 2 * column.codes.length;
  }
}
