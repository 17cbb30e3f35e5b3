import { populatesLocalizations, type RelatedSelection } from '../query/bound.ts';
import type { Adjacency } from '../sets/adjacency.ts';
import type { BitSet } from '../sets/bit-set.ts';
import { sortUnique } from '../sets/row-set.ts';
import type { RequestView } from '../store/request-view.ts';

/**
 * The rows of one collection that are written beside one another, as the rows of a page are. A dialect may omit the
 * localizations of an entry that are among them. Code that takes null omits nothing.
 */
export type Siblings = Uint32Array;

/** Cost of following one link of a sibling and sorting its target. */
const linkAndSortCost = 50;

/**
 * Returns the rows that the links of siblings lead to, sorted, for those links that `isFollowed` accepts. Null if no
 * localizations are populated below.
 */
export function siblingsBehind(
  { budget }: RequestView,
  selection: RelatedSelection,
  { offsets, targets }: Adjacency,
  siblings: Siblings | null,
  selected: BitSet | null,
  isFollowed: (link: number) => boolean = () => true,
): Siblings | null {
  if (!siblings || !populatesLocalizations(selection)) return null;
  const linkCount = siblings.reduce((links, row) => links + offsets[row + 1] - offsets[row], 0);
  budget.charge((siblings.length + linkCount) * linkAndSortCost);
  const next: number[] = [];
  for (const row of siblings) {
    for (let link = offsets[row], end = offsets[row + 1]; link < end; link++) {
      if (isFollowed(link) && (!selected || selected.has(targets[link]))) next.push(targets[link]);
    }
  }
  // links in both directions reach the same rows again and again
  return sortUnique(Uint32Array.from(next));
}
