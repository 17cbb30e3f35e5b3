/** Lists of links as patches hold them. A list never changes. */
import {
  type Adjacency,
  countedPositions,
  type LinkPositions,
  type PolymorphicAdjacency,
  positionAt,
} from '../store/adjacency.ts';
import { noLinks, type PatchedLinks } from '../store/link-patch.ts';

/** A link of a row, as changes give it. */
export interface GivenLink {
  /** The number of the target's collection. */
  readonly collection: number;
  readonly row: number;
  /** The positions in the list of the source, and in that of the target. */
  readonly position: number;
  readonly inversePosition: number;
  /** The number in `PolymorphicAdjacency.shownBy`. */
  readonly shownBy: number;
}

/** Returns the links of a row without a patch, as a list. Targets are shared, positions are copied. */
export function storedList(links: Adjacency | PolymorphicAdjacency, row: number): PatchedLinks {
  const start = links.offsets[row];
  const end = links.offsets[row + 1];
  if (start === end) return noLinks;
  const isPolymorphic = 'collections' in links;
  return {
    targets: links.targets.subarray(start, end),
    positions: positionsBetween(links.positions, start, end),
    collections: isPolymorphic ? links.collections.subarray(start, end) : undefined,
    inversePositions: isPolymorphic ? positionsBetween(links.inversePositions, start, end) : null,
    shownBy: isPolymorphic ? shownByBetween(links, start, end) : null,
  };
}

/** Null if every inverse attribute shows all of the links. */
function shownByBetween({ shownBy }: PolymorphicAdjacency, start: number, end: number): Uint16Array | null {
  const numbers = shownBy?.subarray(start, end);
  return numbers?.some((number) => number > 0) ? numbers : null;
}

function positionsBetween(positions: LinkPositions | null, start: number, end: number): Float64Array {
  const found = new Float64Array(end - start);
  for (let i = 0; i < found.length; i++) found[i] = positionAt(positions ?? countedPositions, start + i, i);
  return found;
}

/** Returns a list of links to one collection, in the order of the list. */
export function relationList(links: readonly GivenLink[]): PatchedLinks {
  if (links.length === 0) return noLinks;
  return {
    targets: Uint32Array.from(links, ({ row }) => row),
    positions: Float64Array.from(links, ({ position }) => position + 0),
    collections: undefined,
    inversePositions: null,
    shownBy: null,
  };
}

/** Returns a list of links to several collections, in the order of the list. */
export function polymorphicList(links: readonly GivenLink[]): PatchedLinks {
  if (links.length === 0) return noLinks;
  return {
    ...relationList(links),
    collections: Uint16Array.from(links, ({ collection }) => collection),
    inversePositions: Float64Array.from(links, ({ inversePosition }) => inversePosition + 0),
    shownBy: links.some(({ shownBy }) => shownBy > 0) ? Uint16Array.from(links, ({ shownBy }) => shownBy) : null,
  };
}

/** Returns a list of links without positions, which follow from rows or from other links. */
export function derivedList(targets: readonly number[], collections?: readonly number[]): PatchedLinks {
  if (targets.length === 0) return noLinks;
  return {
    targets: Uint32Array.from(targets),
    positions: null,
    collections: collections && Uint16Array.from(collections),
    inversePositions: null,
    shownBy: null,
  };
}

/** Returns a list without some links. The positions of the others stay. */
export function withoutLinks(
  list: PatchedLinks,
  isRemoved: (target: number, collection: number | undefined) => boolean,
): PatchedLinks {
  const { targets, positions, collections, inversePositions, shownBy } = list;
  const kept = new Uint8Array(targets.length);
  let count = 0;
  for (let i = 0; i < targets.length; i++) if (!isRemoved(targets[i], collections?.[i])) count += kept[i] = 1;
  if (count === targets.length) return list;
  if (count === 0) return noLinks;
  const isKept = (_: number, i: number) => kept[i] === 1;
  return {
    targets: targets.filter(isKept),
    positions: positions ? positions.filter(isKept) : null,
    collections: collections?.filter(isKept),
    inversePositions: inversePositions ? inversePositions.filter(isKept) : null,
    shownBy: shownBy ? shownBy.filter(isKept) : null,
  };
}

/** Returns a list with more links to one collection. All are in order of position, and then of `compareRows`. */
export function withLinks(
  list: PatchedLinks,
  added: readonly { readonly row: number; readonly position: number }[],
  compareRows: (row: number, other: number) => number,
): PatchedLinks {
  if (added.length === 0) return list;
  const sorted = added.toSorted((a, b) => a.position - b.position || compareRows(a.row, b.row));
  const length = list.targets.length + added.length;
  const targets = new Uint32Array(length);
  const positions = new Float64Array(length);
  let [old, next] = [0, 0];
  for (let i = 0; i < length; i++) {
    const isOld =
      next === sorted.length || (old < list.targets.length && !precedes(sorted[next], list, old, compareRows));
    targets[i] = isOld ? list.targets[old] : sorted[next].row;
    positions[i] = isOld ? list.positions![old++] : sorted[next++].position + 0;
  }
  return { targets, positions, collections: undefined, inversePositions: null, shownBy: null };
}

function precedes(
  { row, position }: { readonly row: number; readonly position: number },
  { targets, positions }: PatchedLinks,
  i: number,
  compareRows: (row: number, other: number) => number,
): boolean {
  if (position !== positions![i]) return position < positions![i];
  return compareRows(row, targets[i]) < 0;
}

/** Returns whether a list has the links of another one. Positions are not compared if `list` has none. */
export function isSameList(list: PatchedLinks, other: PatchedLinks): boolean {
  return (
    isSameArray(list.targets, other.targets) &&
    (!list.positions || isSameArray(list.positions, other.positions)) &&
    isSameArray(list.collections, other.collections) &&
    (!list.inversePositions || isSameArray(list.inversePositions, other.inversePositions)) &&
    isSameArray(list.shownBy, other.shownBy)
  );
}

type Numbers = ArrayLike<number> | null | undefined;

function isSameArray(numbers: Numbers, others: Numbers): boolean {
  if (!numbers || !others) return !numbers === !others;
  if (numbers.length !== others.length) return false;
  for (let i = 0; i < numbers.length; i++) if (numbers[i] !== others[i]) return false;
  return true;
}
