import type { Allocator } from '../../../core/memory/allocator.ts';
import { wordCount } from '../../../core/sets/bit-set.ts';
import { bitmapStep, isLongRange, RangeBitmaps, shortRange } from '../../columns/range-bitmaps.ts';

/**
 * Builds the bitmaps of a value index, given where each code starts in it: linear in the rows. Returns null if the rows
 * are few.
 */
export function buildRangeBitmaps(offsets: Uint32Array, rows: Uint32Array, allocator: Allocator): RangeBitmaps | null {
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
