import { BitSet } from '../sets/bit-set.ts';
import { isRanges } from '../store/column.ts';
import type { Hop, Plan } from './plan.ts';

/** What a plan costs is said in steps, as store/work.ts counts them. */

/** What one row costs that is tested: a call, and where its value stands. */
const rowCost = 8;
/** What a row costs that is added to a set. */
const memberCost = 2;
/** What one costs that is added through a link: both its ends lie far from those before, the farther the more there are. */
const linkCost = (rowCount: number) => 10 + Math.min(rowCount / 100_000, 10);
/** How often the words of a set are gone through that is made, joined with another and counted. */
const setWords = 3;

export function testCost(plan: Plan): number {
  switch (plan.kind) {
    case 'hop': {
      const perRow = plan.links.forward.targets.length / Math.max(plan.collection.rowCount, 1);
      return rowCost + perRow * testCost(plan.inner);
    }
    case 'and':
    case 'or':
      return plan.parts.reduce((total, part) => total + testCost(part), 0);
    default:
      return rowCost;
  }
}

/**
 * What it costs to find all rows of a plan. `asHops`: as if there were no joined columns, so that what a request is
 * charged does not depend on those before it.
 */
export function setCost(plan: Plan, asHops = false): number {
  const words = plan.collection.rowCount / 32;
  switch (plan.kind) {
    case 'hop': {
      const looked = plan.unlinked ? plan.collection.rowCount : 0;
      return (
        setWords * words +
        looked +
        linkCost(plan.collection.rowCount) * linksTouched(plan) +
        setCost(plan.inner, asHops)
      );
    }
    case 'and':
    case 'or':
      return plan.parts.reduce((total, part) => total + setCost(part, asHops), words);
    case 'values':
      if (asHops && plan.standsFor) return setCost(plan.standsFor, asHops);
      return setWords * words + memberCost * membersOf(plan);
    default:
      return words;
  }
}

/** How many links lead to the rows of the inner plan, about: more than rows, where they lead from the same ones. */
function linksTouched({ links: { reverse }, inner }: Hop): number {
  const estimate = inner.kind === 'values' && inner.standsFor ? inner.standsFor.estimate : inner.estimate;
  return (reverse.targets.length * estimate) / Math.max(inner.collection.rowCount, 1);
}

/** How many rows and codes are looked at to find the rows of values. */
function membersOf({ codes, column, estimate }: Plan & { kind: 'values' }): number {
  // a long span of values is put together of sets that are kept
  if (isRanges(codes)) return Math.min(estimate, column.codes.length / 32);
  return codes instanceof BitSet ? 2 * (column.codes.length + column.dictionary.size) : 4 * estimate;
}
