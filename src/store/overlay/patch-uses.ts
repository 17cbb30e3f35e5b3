import type { Steps } from '../../core/steps.ts';
import type { PolymorphicAdjacency } from '../links/adjacency.ts';
import { rowComparison } from '../row-order.ts';
import type { Segment } from '../segment.ts';
import type { LinkEdit } from './link-edit.ts';
import { derivedList } from './patched-lists.ts';

/** The links of a media attribute after changes. */
export interface MediaLists {
  /** The number of the collection of the sources. */
  readonly source: number;
  /** The files of each row, and the rows of each file. */
  readonly files: LinkEdit;
  readonly users: LinkEdit;
}

/** A place in a media list that shows a file. */
interface Use {
  readonly row: number;
  readonly source: number;
  readonly position: number;
}

/**
 * Lists the uses of some files anew, in the order of uses-of-files.ts. `media` are all media attributes, in the order of
 * types and attributes. Takes a time that grows with the uses of these files and with the media lists that show them. A step
 * takes one file.
 */
export function* patchUsesInSteps(
  edit: LinkEdit<PolymorphicAdjacency>,
  media: readonly MediaLists[],
  segments: readonly Segment[],
  files: Iterable<number>,
): Steps<void> {
  for (const file of files) {
    // a stable sort: attributes and rows are in order already
    const uses = media.flatMap((lists) => usesOf(file, lists, segments)).sort((a, b) => a.position - b.position);
    const rows = uses.map(({ row }) => row);
    const sources = uses.map(({ source }) => source);
    edit.set(file, derivedList(rows, sources));
    yield;
  }
}

/** The uses of a file by one attribute, in the order of the rows. */
function usesOf(file: number, { source, files, users }: MediaLists, segments: readonly Segment[]): Use[] {
  const uses: Use[] = [];
  for (const row of [...new Set(users.list(file).targets)].sort(rowComparison(segments[source]))) {
    files.eachTarget(row, (target, position) => {
      if (target === file) uses.push({ row, source, position });
    });
  }
  return uses;
}
