/**
 * Rows are numbered in ascending order of id, unless changes gave an id that is less than another one or that had been
 * deleted. Only this module relies on that order being the order of ids. Other code may rely on one consequence: a sort
 * leaves rows with equal keys in ascending order of row.
 */
import { type BitSet, collectIntersection } from '../core/sets/bit-set.ts';
import { iota, type RowSet } from '../core/sets/row-set.ts';
import { readNumber } from './read-value.ts';
import type { Segment } from './segment.ts';

/** The attribute that rows are ordered by. Its values are unique. */
const orderAttribute = 'id';

/** Returns the order of rows, given the ids by load ordinal: row r is the one with ordinal `order[r]`. */
export function ordinalsInRowOrder(ids: Float64Array): { order: Uint32Array; isLoadOrder: boolean } {
  const order = iota(ids.length);
  const isLoadOrder = ids.every((id, i) => i === 0 || ids[i - 1] < id);
  if (!isLoadOrder) order.sort((a, b) => ids[a] - ids[b]);
  return { order, isLoadOrder };
}

/** Fills in the codes of the column of ids: the id of row r is value number r. */
export function fillIdCodes(codes: Uint32Array): void {
  for (let row = 0; row < codes.length; row++) codes[row] = row + 1;
}

/**
 * The keys of a sort that have an effect. No key after the id decides, as ids are unique. Ascending, the id itself has
 * no effect: rows with equal keys keep their order. If rows are not in the order of ids, the id is always the last key.
 */
export function effectiveSortKeys<Key extends { readonly path: readonly string[]; readonly descending: boolean }>(
  sort: readonly Key[],
  isInIdOrder = true,
): readonly (Key | typeof ascendingId)[] {
  const unique = sort.findIndex(({ path }) => path.length === 1 && path[0] === orderAttribute);
  if (!isInIdOrder) return unique < 0 ? [...sort, ascendingId] : sort.slice(0, unique + 1);
  return unique < 0 ? sort : sort.slice(0, sort[unique].descending ? unique + 1 : unique);
}

const ascendingId = { path: [orderAttribute], descending: false } as const;

/** Returns a function that compares rows of a segment by their order. */
export function rowComparison(segment: Segment): (row: number, other: number) => number {
  if (segment.isInIdOrder) return (row, other) => row - other;
  const idOf = (row: number) => readNumber(segment, row, orderAttribute)!;
  return (row, other) => (row === other ? 0 : idOf(row) - idOf(other));
}

/** The rows in their order, which is how a sort breaks ties. Returns the same array if they are in order. */
export function inRowOrder(rows: Uint32Array): Uint32Array {
  return isAscending(rows) ? rows : rows.slice().sort();
}

/** Of rows in their order, those from place `start` up to, not including, `end`. A list must be in order. */
export function windowInRowOrder(rows: RowSet, start: number, end: number): Uint32Array {
  if (rows instanceof Uint32Array) return end - start < rows.length ? rows.slice(start, end) : rows;
  return windowOfBits(rows, start, end);
}

/** Returns the first `count` rows that pass a test; null if they are not among the first `maximumTests` rows. */
export function firstRowsInOrder(
  test: (row: number) => boolean,
  count: number,
  maximumTests: number,
): Uint32Array | null {
  const found = new Uint32Array(count);
  let length = 0;
  for (let row = 0; length < count; row++) {
    if (row === maximumTests) return null;
    if (test(row)) found[length++] = row;
  }
  return found;
}

function windowOfBits({ words }: BitSet, start: number, end: number): Uint32Array {
  const found = new Uint32Array(end - start);
  collectIntersection(words, words, found, 0, start, end);
  return found;
}

function isAscending(rows: Uint32Array): boolean {
  for (let i = 1; i < rows.length; i++) if (rows[i] < rows[i - 1]) return false;
  return true;
}
