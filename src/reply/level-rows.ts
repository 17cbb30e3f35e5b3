import type { RequestView } from '../plan/request-view.ts';
import { populatesLocalizations, type RelatedSelection } from '../query/bound.ts';
import type { BitSet } from '../sets/bit-set.ts';
import { sortUnique } from '../sets/row-set.ts';
import type { Adjacency } from '../store/adjacency.ts';

/**
 * The rows of one collection on one level of a reply: those of the page, then all rows that a populated relation leads
 * to. A dialect may omit the localizations of an entry that are on the same level. Code that takes null omits nothing.
 */
export type LevelRows = Uint32Array;

/** Cost of following one link of a row and sorting its target. */
const linkAndSortCost = 50;

/**
 * Returns the rows of the next level: those that the links of `levelRows` lead to, for links that `isFollowed` accepts,
 * sorted. Null if no localizations are populated below.
 */
export function nextLevelRows(
  { budget }: RequestView,
  selection: RelatedSelection,
  { offsets, targets }: Adjacency,
  levelRows: LevelRows | null,
  selected: BitSet | null,
  isFollowed: (link: number) => boolean = () => true,
): LevelRows | null {
  if (!levelRows || !populatesLocalizations(selection)) return null;
  const linkCount = levelRows.reduce((links, row) => links + offsets[row + 1] - offsets[row], 0);
  budget.charge((levelRows.length + linkCount) * linkAndSortCost);
  const next: number[] = [];
  for (const row of levelRows) {
    for (let link = offsets[row], end = offsets[row + 1]; link < end; link++) {
      if (isFollowed(link) && (!selected || selected.has(targets[link]))) next.push(targets[link]);
    }
  }
  // links in both directions reach the same rows again and again
  return sortUnique(Uint32Array.from(next));
}
