import type { Plan } from '../plan/plan.ts';
import { BitSet } from '../sets/bit-set.ts';
import type { LinkPair, Links } from '../sets/links.ts';
import { asBitSet, countRows, distinctRows, isFew, type Rows } from '../sets/rows.ts';
import { rowTest, setCost, testCost } from './row-test.ts';

/** Runs a plan: the rows of its collection for which the filter is true. The set may be shared: do not change it. */
export function runPlan(plan: Plan): Rows {
  const { rowCount } = plan.collection;
  switch (plan.kind) {
    case 'everything':
      return plan.collection.everyRow;
    case 'nothing':
      return new Uint32Array(0);
    case 'set':
      return plan.rows;
    case 'values':
      return isFew(plan.estimate, rowCount) ? plan.column.listWith(plan.codes) : plan.column.rowsWith(plan.codes);
    case 'hop':
      return hopBack(plan.links, runPlan(plan.inner), plan.unlinked, plan.reachable);
    case 'or':
      return unite(plan.parts.map(runPlan), rowCount);
    case 'and':
      return intersect(plan.parts, rowCount);
  }
}

function unite(parts: readonly Rows[], rowCount: number): Rows {
  const lists = parts.filter((part) => !(part instanceof BitSet)) as Uint32Array[];
  const length = lists.reduce((total, list) => total + list.length, 0);
  if (lists.length === parts.length && isFew(length, rowCount)) {
    const all = new Uint32Array(length);
    let end = 0;
    for (const list of lists) {
      all.set(list, end);
      end += list.length;
    }
    return distinctRows(all);
  }
  const rows = new BitSet(rowCount);
  for (const part of parts) {
    if (part instanceof BitSet) rows.unite(part);
    else for (const row of part) rows.add(row);
  }
  return rows;
}

/**
 * The fewest rows first; then each part is either run and intersected, or, where that looks at fewer values, tested
 * on the rows that are left.
 */
function intersect([first, ...others]: readonly Plan[], rowCount: number): Rows {
  let rows = runPlan(first);
  let isOwn = false;
  for (const part of others) {
    const count = countRows(rows);
    if (count === 0) break;
    if (count * testCost(part) < setCost(part)) {
      rows = filterRows(rows, count, rowTest(part));
      isOwn = true;
    } else {
      const bits = asBitSet(rows, rowCount);
      const own = isOwn || bits !== rows ? bits : bits.clone();
      rows = own.intersect(asBitSet(runPlan(part), rowCount));
      isOwn = true;
    }
  }
  return rows;
}

function filterRows(rows: Rows, count: number, test: (row: number) => boolean): Uint32Array {
  const left = new Uint32Array(count);
  let length = 0;
  const take = (row: number) => {
    if (test(row)) left[length++] = row;
  };
  if (rows instanceof BitSet) rows.forEach(take);
  else for (const row of rows) take(row);
  return left.slice(0, length);
}

/**
 * The rows linked to one of `targets`; with `unlinked`, those linked to nothing too. Only links to `reachable` rows
 * count (null: all). Costs the links touched.
 */
function hopBack({ forward, reverse }: LinkPair, targets: Rows, unlinked: boolean, reachable: BitSet | null): Rows {
  const rowCount = forward.offsets.length - 1;
  const { offsets, targets: sources } = reverse;
  const isReachable = (target: number) => !reachable || reachable.has(target);
  if (!(targets instanceof BitSet) && !unlinked) {
    const counted = targets.filter(isReachable);
    let length = 0;
    for (const target of counted) length += offsets[target + 1] - offsets[target];
    if (isFew(length, rowCount)) {
      const list = new Uint32Array(length);
      let end = 0;
      for (const target of counted) {
        list.set(sources.subarray(offsets[target], offsets[target + 1]), end);
        end += offsets[target + 1] - offsets[target];
      }
      return distinctRows(list);
    }
  }
  const rows = new BitSet(rowCount);
  const { words } = rows;
  const follow = (target: number) => {
    if (!isReachable(target)) return;
    for (let i = offsets[target], end = offsets[target + 1]; i < end; i++) {
      words[sources[i] >>> 5] |= 1 << (sources[i] & 31);
    }
  };
  if (targets instanceof BitSet) targets.forEach(follow);
  else for (const target of targets) follow(target);
  if (unlinked) {
    for (let row = 0; row < rowCount; row++) if (!leadsSomewhere(forward, row, isReachable)) rows.add(row);
  }
  return rows;
}

function leadsSomewhere({ offsets, targets }: Links, row: number, isReachable: (row: number) => boolean): boolean {
  for (let i = offsets[row]; i < offsets[row + 1]; i++) if (isReachable(targets[i])) return true;
  return false;
}
