import type { PolymorphicAdjacency } from '../links/adjacency.ts';
import { rowComparison } from '../row-order.ts';
import type { Segment } from '../segment.ts';
import { baseSources } from '../writer/links/polymorphic-sources.ts';
import type { LinkEdit } from './link-edit.ts';
import { type GivenLink, polymorphicList, withoutLinks } from './patched-lists.ts';

/** The rows that died in a batch, by collection number. Collections without any are missing. */
export type DeadRows = ReadonlyMap<number, ReadonlySet<number>>;

/**
 * Replaces the polymorphic links of some sources, and removes the links to dead rows. A dead source is replaced by no
 * links. Returns the sources that lost links, because their targets died. Takes a time that grows with these links, and
 * with all patched lists if `dead` has any. The first death of a target takes more (polymorphic-sources.ts).
 */
export function patchPolymorphic(
  links: PolymorphicAdjacency,
  edit: LinkEdit<PolymorphicAdjacency>,
  segments: readonly Segment[],
  replaced: ReadonlyMap<number, readonly GivenLink[]>,
  dead: DeadRows,
): Set<number> {
  const bereft = new Set<number>();
  const isDead = (target: number, collection: number | undefined) => dead.get(collection!)?.has(target) === true;
  for (const source of candidates(links, edit, segments, dead)) {
    if (replaced.has(source)) continue;
    const list = edit.list(source);
    const left = withoutLinks(list, isDead);
    if (left === list) continue;
    edit.set(source, left);
    bereft.add(source);
  }
  for (const [source, given] of replaced) edit.set(source, polymorphicList(inOrder(given, segments)));
  return bereft;
}

/** Returns the rows that may be linked to dead rows. */
function candidates(
  links: PolymorphicAdjacency,
  edit: LinkEdit<PolymorphicAdjacency>,
  segments: readonly Segment[],
  dead: DeadRows,
): Set<number> {
  if (dead.size === 0) return new Set();
  const rows = new Set(edit.patchedRows);
  for (const [number, targets] of dead) {
    const { collection } = segments[number];
    for (const target of targets) {
      for (const source of baseSources(links, collection, target)) rows.add(source);
    }
  }
  return rows;
}

/** As `polymorphicAdjacency` in link-list.ts orders them. */
export function inOrder(links: readonly GivenLink[], segments: readonly Segment[]): GivenLink[] {
  return links.toSorted(
    (a, b) =>
      a.position - b.position ||
      a.inversePosition - b.inversePosition ||
      a.collection - b.collection ||
      rowComparison(segments[a.collection])(a.row, b.row),
  );
}
