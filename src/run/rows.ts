import type { Plan } from '../plan/plan.ts';
import { BitSet } from '../sets/bit-set.ts';
import type { LinkPair, Links } from '../sets/links.ts';

/** Runs a plan: the rows of its collection for which the filter is true. The set is the caller's own. */
export function runPlan(plan: Plan): BitSet {
  switch (plan.kind) {
    case 'everything':
      return BitSet.full(plan.collection.rowCount);
    case 'nothing':
      return new BitSet(plan.collection.rowCount);
    case 'values':
      return plan.column.rowsWith(plan.codes);
    case 'hop':
      return hopBack(plan.links, runPlan(plan.inner), plan.unlinked, plan.reachable);
    case 'or': {
      const rows = runPlan(plan.parts[0]);
      for (const part of plan.parts.slice(1)) rows.unite(runPlan(part));
      return rows;
    }
    case 'and': {
      const rows = runPlan(plan.parts[0]);
      for (const part of plan.parts.slice(1)) {
        if (rows.isEmpty()) break;
        rows.intersect(runPlan(part));
      }
      return rows;
    }
  }
}

/**
 * The rows linked to one of `targets`; with `unlinked`, those linked to nothing too. Only links to `reachable` rows
 * count (null: all). Costs the links touched. The set of targets is used up.
 */
function hopBack({ forward, reverse }: LinkPair, targets: BitSet, unlinked: boolean, reachable: BitSet | null): BitSet {
  if (reachable) targets.intersect(reachable);
  const rowCount = forward.offsets.length - 1;
  const rows = new BitSet(rowCount);
  const { words } = rows;
  const { offsets, targets: sources } = reverse;
  targets.forEach((target) => {
    for (let i = offsets[target], end = offsets[target + 1]; i < end; i++) {
      words[sources[i] >>> 5] |= 1 << (sources[i] & 31);
    }
  });
  if (unlinked) {
    for (let row = 0; row < rowCount; row++) if (!leadsSomewhere(forward, row, reachable)) rows.add(row);
  }
  return rows;
}

function leadsSomewhere({ offsets, targets }: Links, row: number, reachable: BitSet | null): boolean {
  if (!reachable) return offsets[row] < offsets[row + 1];
  for (let i = offsets[row]; i < offsets[row + 1]; i++) if (reachable.has(targets[i])) return true;
  return false;
}
