/** How many links rows have: exact, on average and at most. Bounds count the links of a patch besides those it replaces. */
import type { Adjacency } from './adjacency.ts';
import { patchedLinks } from './link-patch.ts';

/** The number of links. Counts those that a patch replaces, too, so it is an upper bound. */
export function linkCountOf({ targets, patch }: Adjacency): number {
  return targets.length + (patch ? patch.linkCount : 0);
}

/** The average number of links of a row. An estimate if there is a patch. */
export function averageLinksPerRow(links: Adjacency): number {
  const { offsets, patch } = links;
  return linkCountOf(links) / Math.max(patch ? patch.rows.size : offsets.length - 1, 1);
}

/** The number of links of some rows. */
export function countLinks({ offsets, patch }: Adjacency, rows: Uint32Array): number {
  let links = 0;
  for (const row of rows) {
    const patched = patch && patchedLinks(patch, row);
    links += patched ? patched.targets.length : offsets[row + 1] - offsets[row];
  }
  return links;
}

/** An upper bound of the number of links that `rows` rows have together. */
export function mostLinks(links: Adjacency, rows: number): number {
  if (rows < 1) return 0;
  return mostUnpatchedLinks(links, rows) + (links.patch ? links.patch.linkCount : 0);
}

function mostUnpatchedLinks({ offsets, targets, topLinkCounts }: Adjacency, rows: number): number {
  const { length } = targets;
  if (rows >= offsets.length - 1) return length;
  const power = 31 - Math.clz32(rows);
  // the average of the rows with most links falls as their number grows
  const next = power + 1 < topLinkCounts.length ? topLinkCounts[power + 1] : length;
  return Math.min((topLinkCounts[power] * rows) / 2 ** power, next);
}

/** An upper bound of the number of rows without links. Exact if there is no patch and no row has several links. */
export function mostRowsWithoutLinks(links: Adjacency): number {
  return mostUnpatchedRowsWithoutLinks(links) + (links.patch ? links.patch.unlinkedCount : 0);
}

function mostUnpatchedRowsWithoutLinks({ offsets, targets, topLinkCounts }: Adjacency): number {
  const rowCount = offsets.length - 1;
  const { length } = targets;
  const power = topLinkCounts.findLastIndex((count) => count < length);
  if (power < 0) return rowCount - Math.min(length, 1);
  const count = topLinkCounts[power];
  // no other row has more links than the rows in the second half of these
  const average = power === 0 ? count : (count - topLinkCounts[power - 1]) / 2 ** (power - 1);
  return rowCount - 2 ** power - Math.ceil((length - count) / Math.floor(average));
}
