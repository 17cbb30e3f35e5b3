import type { BitSet } from '../../core/sets/bit-set.ts';
import { sortUnique } from '../../core/sets/row-set.ts';
import { type Adjacency, collectionsOf, type PolymorphicAdjacency, targetsOf } from '../../store/links/adjacency.ts';
import { countLinks } from '../../store/links/link-counts.ts';
import { populatesLocalizations, type RelatedSelection } from '../bound.ts';
import type { RequestView } from '../plan/request-view.ts';

/**
 * The rows of one collection at one depth of the reply. Null if the dialect repeats localizations.
 */
export type LevelRows = Uint32Array;

/** Cost of following one link of a row and sorting its target. */
const linkAndSortCost = 50;

/**
 * Returns the rows of the next level: those that the links of `levelRows` lead to, sorted. Of polymorphic links, only
 * those to the collection number `target` are followed. Null if no localizations are populated below.
 */
export function nextLevelRows(
  { budget }: RequestView,
  selection: RelatedSelection,
  links: Adjacency | PolymorphicAdjacency,
  levelRows: LevelRows | null,
  selected: BitSet | null,
  target?: number,
): LevelRows | null {
  if (!levelRows || !populatesLocalizations(selection)) return null;
  budget.charge((levelRows.length + countLinks(links, levelRows)) * linkAndSortCost);
  const next: number[] = [];
  for (const row of levelRows) {
    const targets = targetsOf(links, row);
    const collections = 'collections' in links ? collectionsOf(links, row) : null;
    for (let i = 0; i < targets.length; i++) {
      if (collections && collections[i] !== target) continue;
      if (!selected || selected.has(targets[i])) next.push(targets[i]);
    }
  }
  // links in both directions reach the same rows again and again
  return sortUnique(Uint32Array.from(next));
}
