import type { Column } from '../store/column.ts';
import { DeltaColumn } from '../store/delta-column.ts';
import { LazyValueIndex } from './build-value-index.ts';
import { type MergeScratch, mergeDictionary } from './merge-dictionary.ts';

/**
 * Returns the column of a delta after a batch. `base` is the column of the collection, `old` that of the delta before,
 * and `added` that of the rows of the batch. `sources` are as in MergedRows.
 *
 * Takes a time linear in the rows of the delta, however long their values are. Shares with `old` what has not changed.
 */
export function mergeColumn(
  base: Column,
  old: DeltaColumn | null,
  added: Column | null,
  sources: Int32Array,
  scratch: MergeScratch,
): DeltaColumn {
  const { dictionary, lesser, isKnown } = mergeDictionary(base.dictionary, old, added, sources, scratch);
  const { oldCodes, addedCodes } = scratch;
  const codes = new Uint32Array(sources.length);
  for (let row = 0; row < codes.length; row++) {
    const source = sources[row];
    codes[row] = source >= 0 ? oldCodes[old!.codes[source]] : addedCodes[added!.codes[~source]];
  }
  if (old && dictionary === old.dictionary && areEqual(codes, old.codes)) return old;
  return new DeltaColumn(codes, dictionary, new LazyValueIndex(codes, dictionary.size), lesser, isKnown);
}

function areEqual(a: Uint32Array, b: Uint32Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
