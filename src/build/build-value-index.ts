import { type Allocator, heapAllocator } from '../memory/allocator.ts';
import type { ValueIndex } from '../store/value-index.ts';
import { buildRangeBitmaps } from './build-range-bitmaps.ts';

/** Builds the index of a column. `size` is the number of values in the dictionary. */
export function buildValueIndex(codes: Uint32Array, size: number, allocator: Allocator = heapAllocator): ValueIndex {
  const { offsets, rows } = sortRowsByCode(codes, size, allocator);
  return { offsets, rows, bitmaps: buildRangeBitmaps(offsets, rows, allocator) };
}

/** Returns an index without bitmaps: a counting sort, linear in the rows and values. */
export function sortRowsByCode(codes: Uint32Array, size: number, allocator: Allocator = heapAllocator): ValueIndex {
  const offsets = allocator.uint32(size + 2);
  for (let row = 0; row < codes.length; row++) offsets[codes[row] + 1]++;
  for (let code = 0; code <= size; code++) offsets[code + 1] += offsets[code];
  const rows = allocator.uint32(codes.length);
  const next = offsets.slice();
  for (let row = 0; row < codes.length; row++) rows[next[codes[row]]++] = row;
  return { offsets, rows, bitmaps: null };
}
