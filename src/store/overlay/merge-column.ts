/** Merges the values of a batch into those of a delta. */
import type { Column } from '../columns/column.ts';
import type { Dictionary } from '../columns/dictionary.ts';
import { BigIntegerDictionary, NumberDictionary } from '../columns/number-dictionary.ts';
import type { SearchKey } from '../columns/sorted-values.ts';
import { DeltaText, DeltaTextDictionary } from '../texts/delta-text-dictionary.ts';
import { LazyValueIndex } from '../writer/columns/build-value-index.ts';
import { type BatchColumn, type BatchValues, textWithSeparators, valueAt, valueCount } from './batch-rows.ts';
import { DeltaColumn } from './delta-column.ts';
import { type MergedRows, mergeSources } from './merge-rows.ts';

type SourceRows = Pick<MergedRows, 'sources' | 'keepsRows' | 'written' | 'dropped'>;

/**
 * Returns the column of a delta after a batch. `base` is the column of the collection, `old` that of the delta before,
 * and `added` holds the values of the rows of the batch.
 *
 * Takes a time linear in the rows of the delta, however long their values are. Shares with `old` what has not changed.
 */
export function mergeColumn(
  base: Column,
  old: DeltaColumn | null,
  added: BatchColumn | null,
  rows: SourceRows,
): DeltaColumn {
  const { sources, keepsRows, written } = rows;
  if (old && keepsRows && haveSameValues(old, added, rows)) return old;
  const { dictionary, baseCodes, oldCodes, addedCodes } = mergeDictionary(
    base.dictionary,
    old,
    added?.values ?? null,
    rows.dropped,
  );
  const codes = new Uint32Array(sources.length);
  const codesBefore = old?.codes ?? codes;
  for (let row = 0; row < sources.length; row++) {
    const source = sources[row];
    if (source >= 0) codes[row] = oldCodes[codesBefore[source]];
  }
  for (const row of written) codes[row] = addedCodes[added!.codes[~sources[row]]];
  return new DeltaColumn(codes, dictionary, new LazyValueIndex(codes, dictionary.size), baseCodes);
}

/** Returns whether the rows of a batch have the values that they had, as in most columns when an entry is edited. */
function haveSameValues(old: DeltaColumn, added: BatchColumn | null, { sources, written }: SourceRows): boolean {
  return written.every((row) => {
    const code = old.codes[row];
    const addedCode = added!.codes[~sources[row]];
    return code === 0 || addedCode === 0
      ? code === addedCode
      : isSameValue(old, code - 1, added!.values, addedCode - 1);
  });
}

function isSameValue({ dictionary }: Column, i: number, added: BatchValues, addedNumber: number): boolean {
  switch (dictionary.kind) {
    case 'presence':
      return true;
    case 'text':
      return dictionary.withSeparators(i).equals(textWithSeparators(added, addedNumber));
    default:
      return dictionary.values[i] === valueAt(added, addedNumber);
  }
}

interface MergedDictionary extends Pick<DeltaColumn, 'dictionary' | 'baseCodes'> {
  /** The new codes of values, by their codes in the old column. */
  readonly oldCodes: Uint32Array;
  /** The same by their codes in the column of the batch. */
  readonly addedCodes: Uint32Array;
}

/**
 * Merges the values of a batch into those of a delta, without those that only `dropped` rows had. Looks up the values of
 * the batch by binary search, and compares no others.
 */
function mergeDictionary(
  base: Dictionary,
  old: DeltaColumn | null,
  added: BatchValues | null,
  dropped: Uint32Array,
): MergedDictionary {
  if (base.kind === 'presence') {
    const codes = Uint32Array.of(0, 1);
    return { dictionary: base, baseCodes: Int32Array.of(0, 1), oldCodes: codes, addedCodes: codes };
  }
  const oldSize = old?.dictionary.size ?? 0;
  const addedSize = added ? valueCount(added) : 0;
  const gone = old ? codesOfDropped(old, dropped) : new Set<number>();
  // of each value of the batch: its code in the old column, or how many values there are less, negated as by ~
  const found = new Int32Array(addedSize);
  const fresh: number[] = [];
  for (let i = 0; i < addedSize; i++) {
    found[i] = old ? codeAmong(old.dictionary, valueAt(added!, i)) : ~0;
    if (found[i] > 0) gone.delete(found[i]);
    else fresh.push(i);
  }
  const oldCodes = new Uint32Array(oldSize + 1);
  const addedCodes = new Uint32Array(addedSize + 1);
  const goneValues = Uint32Array.from(gone, (code) => code - 1).sort();
  const places = Uint32Array.from(fresh, (i) => ~found[i]);
  const sources = mergeSources(oldSize, goneValues, places, Uint32Array.from(fresh));
  for (let i = 0; i < sources.length; i++) {
    const source = sources[i];
    if (source >= 0) oldCodes[source + 1] = i + 1;
    else addedCodes[~source + 1] = i + 1;
  }
  for (let i = 0; i < addedSize; i++) if (found[i] > 0) addedCodes[i + 1] = oldCodes[found[i]];
  const isKept = old !== null && gone.size === 0 && fresh.length === 0;
  const merged = isKept ? old : pickValues(base, old, added, sources);
  return { dictionary: merged.dictionary, baseCodes: merged.baseCodes, oldCodes, addedCodes };
}

/** Returns the codes that only dropped rows have, but not 0. */
function codesOfDropped({ codes, dictionary }: DeltaColumn, dropped: Uint32Array): Set<number> {
  const gone = new Set<number>();
  if (dropped.length === 0) return gone;
  const uses = new Uint32Array(dictionary.size + 1);
  for (let row = 0; row < codes.length; row++) uses[codes[row]]++;
  for (const row of dropped) if (--uses[codes[row]] === 0) gone.add(codes[row]);
  gone.delete(0);
  return gone;
}

/** Returns the code of a value; if the dictionary lacks it, how many values are less, negated as by ~. */
function codeAmong(dictionary: Dictionary, key: SearchKey): number {
  const value = dictionary.find(key);
  return value >= 0 ? value + 1 : ~dictionary.lowerBound(key);
}

/** Returns the dictionary of merged values, and their codes in the column of the collection. */
function pickValues(
  base: Exclude<Dictionary, { kind: 'presence' }>,
  old: DeltaColumn | null,
  added: BatchValues | null,
  sources: Int32Array,
): Pick<DeltaColumn, 'dictionary' | 'baseCodes'> {
  const baseCodes = new Int32Array(sources.length + 1);
  const codesBefore = old?.baseCodes ?? baseCodes;
  for (let i = 0; i < sources.length; i++) {
    const source = sources[i];
    baseCodes[i + 1] = source >= 0 ? codesBefore[source + 1] : codeAmong(base, valueAt(added!, ~source));
  }
  return { dictionary: dictionaryOf(base, old?.dictionary ?? null, added, sources), baseCodes };
}

function dictionaryOf(
  base: Exclude<Dictionary, { kind: 'presence' }>,
  old: Dictionary | null,
  added: BatchValues | null,
  sources: Int32Array,
): Dictionary {
  switch (base.kind) {
    case 'number': {
      const values = new Float64Array(sources.length);
      const [before, batch] = [old, added].map(
        (given) => (given as Pick<NumberDictionary, 'values'> | null)?.values ?? values,
      );
      for (let i = 0; i < sources.length; i++) {
        const source = sources[i];
        values[i] = source >= 0 ? before[source] : batch[~source];
      }
      return NumberDictionary.of(values, base.texts);
    }
    case 'bigint': {
      const values = new BigInt64Array(sources.length);
      const [before, batch] = [old, added].map(
        (given) => (given as Pick<BigIntegerDictionary, 'values'> | null)?.values ?? values,
      );
      for (let i = 0; i < sources.length; i++) {
        const source = sources[i];
        values[i] = source >= 0 ? before[source] : batch[~source];
      }
      return new BigIntegerDictionary(values);
    }
    case 'text': {
      const texts = new Array<DeltaText>(sources.length);
      const before = old as DeltaTextDictionary | null;
      const textsBefore = before?.texts ?? texts;
      for (let i = 0; i < sources.length; i++) {
        const source = sources[i];
        texts[i] = source >= 0 ? textsBefore[source] : new DeltaText(textWithSeparators(added!, ~source));
      }
      return new DeltaTextDictionary(texts, before);
    }
  }
}
