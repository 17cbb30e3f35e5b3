import { type Allocator, heapAllocator } from '../../../core/memory/allocator.ts';
import type { ScalarType } from '../../../model/schema/schema.ts';
import { searchTextOf } from '../../../model/schema/search-text.ts';
import { NumberDictionary } from '../../columns/number-dictionary.ts';

/** Builds the dictionary of values in any order, in which a value may be repeated. NaN is left out. */
export function buildNumberDictionary(
  values: Float64Array,
  type: ScalarType,
  allocator: Allocator = heapAllocator,
): NumberDictionary {
  // NaN is sorted after all numbers
  const sorted = values.slice().sort();
  let size = 0;
  for (const value of sorted) {
    if (!Number.isNaN(value) && (size === 0 || value !== sorted[size - 1])) sorted[size++] = value;
  }
  const distinct = allocator.float64(size);
  distinct.set(sorted.subarray(0, size));
  return NumberDictionary.of(distinct, searchTextOf(type));
}
