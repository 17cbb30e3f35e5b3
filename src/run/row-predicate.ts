import type { Plan } from '../plan/plan.ts';

/** Tells of one row whether a plan holds for it. */
export type RowPredicate = (row: number) => boolean;

/** A plan as a test of single rows, for where few rows are left to test. Decided once, not once a row. */
export function rowPredicate(plan: Plan): RowPredicate {
  switch (plan.kind) {
    case 'everything':
      return () => true;
    case 'nothing':
      return () => false;
    case 'set': {
      const { rows } = plan.seen;
      return (row) => rows.has(row);
    }
    case 'values':
      return plan.column.rowPredicate(plan.codes);
    case 'hop': {
      const test = remembered(plan.inner);
      const { unlinked, reachable } = plan;
      const { offsets, targets } = plan.links.forward;
      return (row) => {
        let isLinked = false;
        for (let i = offsets[row], end = offsets[row + 1]; i < end; i++) {
          if (reachable && !reachable.has(targets[i])) continue;
          if (test(targets[i])) return true;
          isLinked = true;
        }
        return unlinked && !isLinked;
      };
    }
    case 'except': {
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
  }
}

/** Kinds of plans whose test costs more than looking up what it has said. */
const remembers: ReadonlySet<Plan['kind']> = new Set<Plan['kind']>(['hop', 'except', 'and', 'or']);

/** A test that is made once a row: through several relations, the same row is reached over and over. */
function remembered(plan: Plan): RowPredicate {
  const test = rowPredicate(plan);
  if (!remembers.has(plan.kind)) return test;
  /** 0: not known yet; 1: false; 2: true. */
  const known = new Uint8Array(plan.collection.rowCount);
  return (row) => {
    if (known[row] === 0) known[row] = test(row) ? 2 : 1;
    return known[row] === 2;
  };
}
