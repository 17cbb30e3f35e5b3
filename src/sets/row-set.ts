import { BitSet } from './bit-set.ts';

/** A set of rows of one collection: their numbers in ascending order where they are few, a bit for each where not. */
export type RowSet = Uint32Array | BitSet;

/** Whether a list of so many rows is sorted sooner than the bits of all are gone through. */
export function isSparse(count: number, rowCount: number): boolean {
  return count * 512 < rowCount;
}

export function countRows(rows: RowSet): number {
  return rows instanceof BitSet ? rows.count() : rows.length;
}

/** The rows as a list. What is given is returned as it is if it has that form. */
export function toRowList(rows: RowSet): Uint32Array {
  return rows instanceof BitSet ? rows.toArray() : rows;
}

/** The rows as bits. What is given is returned as it is if it has that form. */
export function toBitSet(rows: RowSet, rowCount: number): BitSet {
  if (rows instanceof BitSet) return rows;
  const set = new BitSet(rowCount);
  for (const row of rows) set.add(row);
  return set;
}

/** The numbers from 0 up to, not including, `count`: every row of so many. */
export function iota(count: number): Uint32Array<ArrayBuffer> {
  const numbers = new Uint32Array(count);
  for (let i = 0; i < count; i++) numbers[i] = i;
  return numbers;
}

/** Ascending, each once. The array is sorted in place. */
export function sortUnique(rows: Uint32Array): Uint32Array {
  rows.sort();
  let length = 0;
  for (let i = 0; i < rows.length; i++) if (i === 0 || rows[i] !== rows[i - 1]) rows[length++] = rows[i];
  return rows.slice(0, length);
}
