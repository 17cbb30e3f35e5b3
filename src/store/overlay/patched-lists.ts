/** Lists of links as patches hold them. A list never changes. */
import { firstWhere } from '../../core/sets/row-set.ts';
import {
  type Adjacency,
  countedPositions,
  type LinkPositions,
  type PolymorphicAdjacency,
  positionAt,
} from '../links/adjacency.ts';
import { noLinks, type PatchedLinks } from '../links/link-patch.ts';

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

/** Returns the links of a row in the base, without its patch, as a list. Targets are shared, positions are copied. */
export function baseList(links: Adjacency | PolymorphicAdjacency, row: number): PatchedLinks {
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
  return shownBy && orNull(shownBy.subarray(start, end));
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
  const places: number[] = [];
  for (let i = 0; i < targets.length; i++) if (isRemoved(targets[i], collections?.[i])) places.push(i);
  if (places.length === 0) return list;
  if (places.length === targets.length) return noLinks;
  return {
    targets: withoutPlaces(targets, places),
    positions: positions && withoutPlaces(positions, places),
    collections: collections && withoutPlaces(collections, places),
    inversePositions: inversePositions && withoutPlaces(inversePositions, places),
    shownBy: shownBy && orNull(withoutPlaces(shownBy, places)),
  };
}

/** Null if every inverse attribute shows all of the links. */
function orNull(shownBy: Uint16Array): Uint16Array | null {
  return shownBy.some((number) => number > 0) ? shownBy : null;
}

/** Returns a list with more links to one collection. All are in order of position, and then of `compareRows`. */
export function withLinks(
  list: PatchedLinks,
  added: readonly { readonly row: number; readonly position: number }[],
  compareRows: (row: number, other: number) => number,
): PatchedLinks {
  if (added.length === 0) return list;
  const sorted = added.toSorted((a, b) => a.position - b.position || compareRows(a.row, b.row));
  const { targets, positions } = list;
  const places = sorted.map((link) => firstWhere(targets.length, (i) => precedes(link, list, i, compareRows)));
  const rows = sorted.map(({ row }) => row);
  const newPositions = sorted.map(({ position }) => position + 0);
  const length = targets.length + sorted.length;
  return {
    targets: copyWith(new Uint32Array(length), targets, places, rows),
    positions: copyWith(new Float64Array(length), positions ?? new Float64Array(0), places, newPositions),
    collections: undefined,
    inversePositions: null,
    shownBy: null,
  };
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
  if (list === other) return true;
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

type LinkNumbers = Uint16Array | Uint32Array | Float64Array;

/** Returns the numbers without those at some places, which are ascending. */
function withoutPlaces<Some extends LinkNumbers>(numbers: Some, places: readonly number[]): Some {
  // only for its type and length
  const left = numbers.slice(places.length) as Some;
  let from = 0;
  let to = 0;
  for (const place of [...places, numbers.length]) {
    if (place > from) left.set(numbers.subarray(from, place), to);
    to += place - from;
    from = place + 1;
  }
  return left;
}

/** Fills `into` with the numbers and, before place `places[i]` of them, `added[i]`. The places are ascending. */
function copyWith<Some extends LinkNumbers>(
  into: Some,
  numbers: Some,
  places: readonly number[],
  added: readonly number[],
): Some {
  let from = 0;
  for (let i = 0; i < places.length; i++) {
    if (places[i] > from) into.set(numbers.subarray(from, places[i]), from + i);
    from = places[i];
    into[from + i] = added[i];
  }
  into.set(numbers.subarray(from), from + places.length);
  return into;
}
