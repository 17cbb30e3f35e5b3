import { type Allocator, heapAllocator } from '../../../core/memory/allocator.ts';
import type { ValueIndex } from '../../columns/value-index.ts';
import { buildRangeBitmaps } from './build-range-bitmaps.ts';

/** Builds the index of a column. `size` is the number of values in the dictionary. */
export function buildValueIndex(codes: Uint32Array, size: number, allocator: Allocator = heapAllocator): ValueIndex {
  const { offsets, rows } = sortRowsByCode(codes, size, allocator);
  return { offsets, rows, bitmaps: buildRangeBitmaps(offsets, rows, allocator) };
}

/** An index without bitmaps that is built at its first use. */
export class LazyValueIndex implements ValueIndex {
  readonly bitmaps = null;
  readonly #codes: Uint32Array;
  readonly #size: number;
  #sorted: SortedRows | null = null;

  /** `size` is the number of values in the dictionary. */
  constructor(codes: Uint32Array, size: number) {
    this.#codes = codes;
    this.#size = size;
  }

  get offsets(): Uint32Array {
    return this.#sort().offsets;
  }

  get rows(): Uint32Array {
    return this.#sort().rows;
  }

  #sort(): SortedRows {
    this.#sorted ??= sortRowsByCode(this.#codes, this.#size, heapAllocator);
    return this.#sorted;
  }
}

type SortedRows = Pick<ValueIndex, 'offsets' | 'rows'>;

/** A counting sort, linear in the rows and values. */
function sortRowsByCode(codes: Uint32Array, size: number, allocator: Allocator): SortedRows {
  const offsets = allocator.uint32(size + 2);
  for (let row = 0; row < codes.length; row++) offsets[codes[row] + 1]++;
  for (let code = 0; code <= size; code++) offsets[code + 1] += offsets[code];
  const rows = allocator.uint32(codes.length);
  const next = offsets.slice();
  for (let row = 0; row < codes.length; row++) rows[next[codes[row]]++] = row;
  return { offsets, rows };
}
