import { mapAt } from '../../core/map-at.ts';
import type { Steps } from '../../core/steps.ts';
import type { PatchedLinks } from '../links/link-patch.ts';
import { noLinks } from '../links/link-patch.ts';
import type { LinkEdit } from './link-edit.ts';
import { type GivenLink, relationList, withLinks, withoutLinks } from './patched-lists.ts';

type CompareRows = (row: number, other: number) => number;

/** Both directions of a relation, with the order of the rows at each end. */
export interface EditedPair {
  readonly forward: LinkEdit;
  readonly reverse: LinkEdit;
  readonly compareSources: CompareRows;
  readonly compareTargets: CompareRows;
}

/** The rows whose links `patchPairInSteps` looked at. */
export interface PatchedPair {
  /** The sources that lost links, because their targets died. */
  readonly bereft: ReadonlySet<number>;
  /** The targets in the lists of sources that differ now, and dead ones. */
  readonly targets: ReadonlySet<number>;
}

/**
 * Replaces the links of some sources, and removes the links to dead targets. A dead source is replaced by no links.
 * Takes a time that grows with these links, and with the lists of the targets at their other end. A step takes one row.
 */
export function* patchPairInSteps(
  { forward, reverse, compareSources, compareTargets }: EditedPair,
  replaced: ReadonlyMap<number, readonly GivenLink[]>,
  deadTargets: ReadonlySet<number>,
): Steps<PatchedPair> {
  const bereft = new Set<number>();
  for (const dead of deadTargets) {
    for (const source of reverse.list(dead).targets) if (!replaced.has(source)) bereft.add(source);
    reverse.set(dead, noLinks);
  }
  for (const source of bereft) forward.set(source, withoutRows(forward.list(source), deadTargets));

  const targets = new Set(deadTargets);
  const reached = new Set<number>();
  const added = new Map<number, { row: number; position: number }[]>();
  for (const [source, links] of replaced) {
    const ends = [...forward.list(source).targets, ...links.map(({ row }) => row)];
    for (const target of ends) reached.add(target);
    const sorted = links.toSorted((a, b) => a.position - b.position || compareTargets(a.row, b.row));
    if (forward.set(source, relationList(sorted))) for (const target of ends) targets.add(target);
    for (const { row, inversePosition } of links) {
      mapAt(added, row, () => []).push({ row: source, position: inversePosition });
    }
    yield;
  }
  const changed = new Set<number>();
  for (const target of reached) {
    if (deadTargets.has(target)) continue;
    const kept = withoutRows(reverse.list(target), replaced);
    if (reverse.set(target, withLinks(kept, added.get(target) ?? [], compareSources))) changed.add(target);
    yield;
  }
  // a link keeps its place in both lists of the base or in none: copy-rows.ts reads those of the base together
  for (const [source, links] of replaced) if (links.some(({ row }) => changed.has(row))) forward.patch(source);
  return { bereft, targets };
}

function withoutRows(list: PatchedLinks, rows: { has(row: number): boolean }): PatchedLinks {
  return withoutLinks(list, (target) => rows.has(target));
}
