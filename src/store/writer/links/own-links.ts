import { type Adjacency, countedPositions, type PolymorphicAdjacency, positionAt } from '../../links/adjacency.ts';
import { type PatchedLinks, patchedLinks } from '../../links/link-patch.ts';
import { baseList, type GivenLink } from '../../overlay/patched-lists.ts';
import type { OwningAttribute } from './owned-links.ts';

/**
 * Returns the links of one row of an owning attribute, in order, in a store that may have changes. Looks for their
 * positions in the lists of their targets, which takes a time that grows with the length of these lists.
 */
export function ownLinksOf({ links, inverse }: OwningAttribute, row: number): GivenLink[] {
  const { targets, positions, collections, inversePositions, shownBy } = listOf(links, row);
  const inversePositionOf = inverse && positionsIn(inverse.links, row);
  return Array.from(targets, (target, i) => ({
    collection: inverse ? inverse.collection : collections![i],
    row: target,
    position: positions![i],
    inversePosition: inversePositionOf ? inversePositionOf(target) : inversePositions![i],
    shownBy: shownBy?.[i] ?? 0,
  }));
}

function listOf(links: Adjacency | PolymorphicAdjacency, row: number): PatchedLinks {
  return (links.patch && patchedLinks(links.patch, row)) ?? baseList(links, row);
}

/**
 * Returns a function that finds the position of the link to `source` in the list of a row. Of several such links, each
 * call finds the next. Looks through the list, unless all links have the same position: 50,000 links take about 50 µs.
 */
function positionsIn(reverse: Adjacency, source: number): (row: number) => number {
  const { offsets, targets: all, patch, positions } = reverse;
  const next = new Map<number, number>();
  return (row) => {
    const patched = patch && patchedLinks(patch, row);
    if (!patched && positions && !positions.values && positions.step === 0) return positions.first;
    const targets = patched ? patched.targets : all.subarray(offsets[row], offsets[row + 1]);
    const at = targets.indexOf(source, next.get(row) ?? 0);
    if (at < 0) throw new Error(`row ${row} has no link back to row ${source}`);
    next.set(row, at + 1);
    return patched ? patched.positions![at] : positionAt(positions ?? countedPositions, offsets[row] + at, at);
  };
}
