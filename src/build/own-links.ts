import { type Adjacency, countedPositions, type PolymorphicAdjacency, positionAt } from '../store/adjacency.ts';
import { type PatchedLinks, patchedLinks } from '../store/link-patch.ts';
import type { OwningAttribute } from './owned-links.ts';
import { baseList, type GivenLink } from './patched-lists.ts';

/**
 * Returns the links of one row of an owning attribute, in order, in a store that may have changes. Looks for their
 * positions in the lists of their targets, which takes a time that grows with the length of these lists.
 */
export function ownLinksOf({ links, inverse }: OwningAttribute, row: number): GivenLink[] {
  const { targets, positions, collections, inversePositions, shownBy } = listOf(links, row);
  const earlier = new Map<number, number>();
  return Array.from(targets, (target, i) => {
    const skipped = earlier.get(target) ?? 0;
    earlier.set(target, skipped + 1);
    return {
      collection: inverse ? inverse.collection : collections![i],
      row: target,
      position: positions![i],
      inversePosition: inverse ? positionIn(inverse.links, target, row, skipped) : inversePositions![i],
      shownBy: shownBy?.[i] ?? 0,
    };
  });
}

function listOf(links: Adjacency | PolymorphicAdjacency, row: number): PatchedLinks {
  return (links.patch && patchedLinks(links.patch, row)) ?? baseList(links, row);
}

/** Returns the position of a link to `source` in the list of a row. `skipped` links to `source` come before it. */
function positionIn(reverse: Adjacency, row: number, source: number, skipped: number): number {
  const { offsets, targets: all, patch } = reverse;
  const patched = patch && patchedLinks(patch, row);
  const targets = patched ? patched.targets : all.subarray(offsets[row], offsets[row + 1]);
  let at = targets.indexOf(source);
  for (let i = 0; i < skipped; i++) at = targets.indexOf(source, at + 1);
  if (at < 0) throw new Error(`row ${row} has no link back to row ${source}`);
  return patched ? patched.positions![at] : positionAt(reverse.positions ?? countedPositions, offsets[row] + at, at);
}
