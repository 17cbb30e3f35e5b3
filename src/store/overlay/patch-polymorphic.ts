import type { Steps } from '../../core/steps.ts';
import type { Collection } from '../collection.ts';
import { type Adjacency, adjacencyFromPairs, type PolymorphicAdjacency } from '../links/adjacency.ts';
import { rowComparison } from '../row-order.ts';
import type { Segment } from '../segment.ts';
import type { LinkEdit } from './link-edit.ts';
import { derivedList, type GivenLink, polymorphicList, withoutLinks } from './patched-lists.ts';

/** The rows that died in a batch, by collection number. Collections without any are missing. */
export type DeadRows = ReadonlyMap<number, ReadonlySet<number>>;

/**
 * Replaces the polymorphic links of some sources, and removes the links to dead rows. A dead source is replaced by no
 * links. Returns the sources that lost links, because their targets died. Takes a time that grows with these links, and
 * with all patched lists if `dead` has any. The first death of a target takes more (`baseSources`).
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

/** The links of a media attribute after changes. */
interface MediaLists {
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
 * Lists the uses of some files anew, in the order of `usesOfFiles`. `media` are all media attributes, in the order of
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

/**
 * By the targets of an adjacency, which batches share, and by the number of a collection: the sources of the links to its
 * rows. Null if no link leads there.
 */
const known = new WeakMap<Uint32Array, Map<number, Adjacency | null>>();

const noRows = new Uint32Array(0);

/**
 * Returns the rows whose links lead to a row of a collection, in the adjacency without its patch. The first call for an
 * adjacency and a collection looks whether any link leads there. If one does, the call takes a time linear in all links
 * and in the rows of the collection, and memory of 4 bytes for each of its rows and links, for as long as the adjacency
 * lives. Only the deletion of a target needs it.
 */
function baseSources(
  adjacency: PolymorphicAdjacency,
  { number, rowCount }: Pick<Collection, 'number' | 'rowCount'>,
  row: number,
): Uint32Array {
  const { targets, collections } = adjacency;
  let byCollection = known.get(targets);
  if (!byCollection) known.set(targets, (byCollection = new Map()));
  let links = byCollection.get(number);
  if (links === undefined) {
    links = collections.includes(number) ? linksFrom(adjacency, number, rowCount) : null;
    byCollection.set(number, links);
  }
  if (!links || row >= rowCount) return noRows;
  return links.targets.subarray(links.offsets[row], links.offsets[row + 1]);
}

/** Returns the links to a collection, from its rows to their sources. */
function linksFrom({ offsets, targets, collections }: PolymorphicAdjacency, number: number, rowCount: number) {
  const sources = new Uint32Array(targets.length);
  const ends = new Uint32Array(targets.length);
  let count = 0;
  for (let row = 0; row + 1 < offsets.length; row++) {
    for (let link = offsets[row]; link < offsets[row + 1]; link++) {
      if (collections[link] !== number) continue;
      sources[count] = row;
      ends[count++] = targets[link];
    }
  }
  return adjacencyFromPairs(ends.subarray(0, count), sources.subarray(0, count), rowCount);
}
