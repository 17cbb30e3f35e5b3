import { type Allocator, heapAllocator } from '../../../core/memory/allocator.ts';
import { wordCount } from '../../../core/sets/bit-set.ts';
import type { ValueIndex } from '../../columns/column.ts';
import { bitmapStep, isLongRange, RangeBitmaps, shortRange } from '../../columns/range-bitmaps.ts';

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

/**
 * Builds the bitmaps of a value index, given where each code starts in it: linear in the rows. Returns null if the rows
 * are few.
 */
function buildRangeBitmaps(offsets: Uint32Array, rows: Uint32Array, allocator: Allocator): RangeBitmaps | null {
  if (rows.length <= shortRange) return null;
  const step = bitmapStep(rows.length);
  const wordsPerBitmap = wordCount(rows.length);
  const add = (words: Uint32Array, first: number, start: number, end: number) => {
    for (let i = start; i < end; i++) words[first + (rows[i] >>> 5)] |= 1 << (rows[i] & 31);
  };
  const cumulative = allocator.uint32((Math.ceil(rows.length / step) + 1) * wordsPerBitmap);
  for (let start = 0, first = wordsPerBitmap; start < rows.length; start += step, first += wordsPerBitmap) {
    cumulative.copyWithin(first, first - wordsPerBitmap, first);
    add(cumulative, first, start, Math.min(start + step, rows.length));
  }
  const frequent: number[] = [];
  for (let code = 0; code + 1 < offsets.length; code++) {
    if (isLongRange(offsets[code + 1] - offsets[code], rows.length)) frequent.push(code);
  }
  const codes = allocator.uint32(frequent.length);
  codes.set(frequent);
  const byCode = allocator.uint32(frequent.length * wordsPerBitmap);
  for (let i = 0; i < codes.length; i++) add(byCode, i * wordsPerBitmap, offsets[codes[i]], offsets[codes[i] + 1]);
  return new RangeBitmaps(rows, { cumulative, codes, byCode });
}
