import type { Column } from '../columns/column.ts';
import type { SortedTexts } from '../texts/sorted-texts.ts';
import { LazyValueIndex } from '../writer/columns/build-value-index.ts';
import { DeltaColumn } from './delta-column.ts';
import { type MergeScratch, mergeDictionary } from './merge-dictionary.ts';
import type { MergedRows } from './merge-rows.ts';

/**
 * Returns the column of a delta after a batch. `base` is the column of the collection, `old` that of the delta before,
 * and `added` that of the rows of the batch.
 *
 * Takes a time linear in the rows of the delta, however long their values are. Shares with `old` what has not changed.
 */
export function mergeColumn(
  base: Column,
  old: DeltaColumn | null,
  added: Column | null,
  rows: Pick<MergedRows, 'sources' | 'keepsRows' | 'written' | 'dropped'>,
  scratch: MergeScratch,
): DeltaColumn {
  const { sources, keepsRows, written } = rows;
  if (old && keepsRows && haveSameValues(old, added, sources, written)) return old;
  const { dictionary, lesser, isKnown } = mergeDictionary(base.dictionary, old, added, rows, scratch);
  const { oldCodes, addedCodes } = scratch;
  const codes = new Uint32Array(sources.length);
  if (old) keepCodes(codes, old.codes, sources, dictionary === old.dictionary ? null : oldCodes);
  for (const row of written) codes[row] = addedCodes[added!.codes[~sources[row]]];
  return new DeltaColumn(codes, dictionary, new LazyValueIndex(codes, dictionary.size), lesser, isKnown);
}

/** Fills in the codes of the rows that the batch does not write. `newCodes` are by old code; null: they stay. */
function keepCodes(codes: Uint32Array, old: Uint32Array, sources: Int32Array, newCodes: Uint32Array | null): void {
  if (newCodes) {
    for (let row = 0; row < sources.length; row++) if (sources[row] >= 0) codes[row] = newCodes[old[sources[row]]];
  } else for (let row = 0; row < sources.length; row++) if (sources[row] >= 0) codes[row] = old[sources[row]];
}

/** Returns whether the rows of a batch have the values that they had, as in most columns when an entry is edited. */
function haveSameValues(old: DeltaColumn, added: Column | null, sources: Int32Array, written: Uint32Array): boolean {
  return written.every((row) => {
    const code = old.codes[row];
    const addedCode = added!.codes[~sources[row]];
    return code === 0 || addedCode === 0 ? code === addedCode : isSameValue(old, code, added!, addedCode);
  });
}

function isSameValue({ dictionary }: Column, code: number, { dictionary: added }: Column, addedCode: number): boolean {
  switch (dictionary.kind) {
    case 'presence':
      return true;
    case 'text':
      return dictionary.withSeparators(code - 1).equals((added as SortedTexts).withSeparators(addedCode - 1));
    default:
      return dictionary.values[code - 1] === (added as typeof dictionary).values[addedCode - 1];
  }
}
