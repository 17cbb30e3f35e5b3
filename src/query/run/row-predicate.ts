import { patchedLinks } from '../../store/links/link-patch.ts';
import { deltaRowOf } from '../../store/overlay/delta.ts';
import { isMemoised } from '../plan/cost-model.ts';
import type { Plan, SemiJoin, Values } from '../plan/plan.ts';

/** Returns whether a plan selects a row. */
export type RowPredicate = (row: number) => boolean;

/** Compiles a plan to a test of single rows, for use where few rows are left. */
export function rowPredicate(plan: Plan): RowPredicate {
  switch (plan.kind) {
    case 'everything':
      return () => true;
    case 'nothing':
      return () => false;
    case 'visible': {
      const { rows } = plan.visible;
      return (row) => rows.has(row);
    }
    case 'values':
      return valuesPredicate(plan);
    case 'semiJoin':
      return joinedPredicate(plan) ?? semiJoinPredicate(plan);
    case 'antiJoin': {
      const test = rowPredicate(plan.inner);
      return (row) => !test(row);
    }
    case 'and': {
      const tests = plan.parts.map(rowPredicate);
      return (row) => tests.every((test) => test(row));
    }
    case 'or': {
      const tests = plan.parts.map(rowPredicate);
      return (row) => tests.some((test) => test(row));
    }
    default:
      return plan satisfies never;
  }
}

/** Returns the test of a semi-join by the column of what its relations lead to. Null if it is not known of all rows. */
function joinedPredicate({ joined }: SemiJoin): RowPredicate | null {
  return joined && joined.uncertain.length === 0 ? joined.column.rowPredicate(joined.codes) : null;
}

/** Returns the test of a semi-join by the links of each row. */
export function semiJoinPredicate({ inner, links, matchesUnlinked, reachable }: SemiJoin): RowPredicate {
  const test = memoised(inner);
  const { offsets, targets, patch } = links.forward;
  const isMatch = (targets: Uint32Array, start: number, end: number) => {
    let isLinked = false;
    for (let i = start; i < end; i++) {
      if (reachable && !reachable.has(targets[i])) continue;
      if (test(targets[i])) return true;
      isLinked = true;
    }
    return matchesUnlinked && !isLinked;
  };
  if (!patch) return (row) => isMatch(targets, offsets[row], offsets[row + 1]);
  return (row) => {
    const patched = patchedLinks(patch, row);
    if (patched) return isMatch(patched.targets, 0, patched.targets.length);
    return isMatch(targets, offsets[row], offsets[row + 1]);
  };
}

/** Tests each row at most once: paths of relations lead to the same row many times. */
function memoised(plan: Plan): RowPredicate {
  const test = rowPredicate(plan);
  if (!isMemoised(plan)) return test;
  /** 0: not tested; 1: false; 2: true. */
  const results = new Uint8Array(plan.segment.rowCount);
  return (row) => {
    if (results[row] === 0) results[row] = test(row) ? 2 : 1;
    return results[row] === 2;
  };
}

function valuesPredicate({ column, codes, changed, segment }: Values): RowPredicate {
  const test = column.rowPredicate(codes);
  if (!changed) return test;
  const { delta } = changed;
  const { rowCount } = segment.collection;
  const testChanged = changed.column.rowPredicate(changed.codes);
  return (row) => {
    if (row < rowCount && !delta.replaced.has(row)) return test(row);
    const changedRow = deltaRowOf(delta, row);
    return changedRow >= 0 && testChanged(changedRow);
  };
}
