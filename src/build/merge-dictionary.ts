import type { Column } from '../store/column.ts';
import type { DeltaColumn } from '../store/delta-column.ts';
import type { Dictionary } from '../store/dictionary.ts';
import { BigIntegerDictionary, NumberDictionary } from '../store/number-dictionary.ts';
import type { SearchKey } from '../store/sorted-values.ts';
import { DeltaText, DeltaTextDictionary } from '../store/text/delta-text-dictionary.ts';
import type { TextDictionary } from '../store/text/text-dictionary.ts';

/** Arrays for one column after the other, long enough for the values of the delta and the batch. */
export class MergeScratch {
  /** The new codes of values, by their codes in the old column. */
  readonly oldCodes: Uint32Array;
  /** The new codes of values, by their codes in the column of the batch. */
  readonly addedCodes: Uint32Array;
  /** By new value: its number in the old column, or `~number` in the column of the batch. */
  readonly picks: Int32Array;

  /** A column has no more values than rows. */
  constructor(oldRows: number, addedRows: number) {
    this.oldCodes = new Uint32Array(oldRows + 2);
    this.addedCodes = new Uint32Array(addedRows + 2);
    this.picks = new Int32Array(oldRows + addedRows);
  }
}

type MergedDictionary = Pick<DeltaColumn, 'dictionary' | 'lesser' | 'isKnown'>;

/** By code: 0 is null, and 1 the one value of a column of presence. */
const presence = { lesser: new Uint32Array(2), isKnown: Uint8Array.of(1, 1) };

/**
 * Merges the values of a batch into those of a delta, without those that no row has any more. The parameters are those
 * of mergeColumn. Fills in the codes of `scratch`. Looks up the values of the batch by binary search, and compares no
 * others.
 */
export function mergeDictionary(
  base: Dictionary,
  old: DeltaColumn | null,
  added: Column | null,
  sources: Int32Array,
  scratch: MergeScratch,
): MergedDictionary {
  const { oldCodes, addedCodes } = scratch;
  if (base.kind === 'presence') {
    oldCodes[1] = 1;
    addedCodes[1] = 1;
    return { dictionary: base, ...presence };
  }
  if (old) markUsed(old, sources, oldCodes);
  const picks = pickValues(old?.dictionary ?? null, added?.dictionary ?? null, scratch);
  const isShared = picks.length === old?.dictionary.size && picks.every((pick) => pick >= 0);
  if (isShared) return { dictionary: old.dictionary, lesser: old.lesser, isKnown: old.isKnown };
  const dictionary = dictionaryOf(base, old?.dictionary ?? null, added?.dictionary ?? null, picks);
  return { dictionary, ...placeAmong(base, old, added, picks) };
}

/** Sets the item of each code that a row of the delta still has to 1, and all others to 0. */
function markUsed({ codes, dictionary }: DeltaColumn, sources: Int32Array, marks: Uint32Array): void {
  marks.fill(0, 0, dictionary.size + 1);
  for (let row = 0; row < sources.length; row++) if (sources[row] >= 0) marks[codes[sources[row]]] = 1;
  marks[0] = 0;
}

/** Returns the values in order, and replaces the marks of `oldCodes` by codes. */
function pickValues(
  old: Dictionary | null,
  added: Dictionary | null,
  { oldCodes, addedCodes, picks }: MergeScratch,
): Int32Array {
  const oldSize = old?.size ?? 0;
  const addedSize = added?.size ?? 0;
  /** By value of the batch: how many old values are less, and whether the next one is equal. */
  const places = new Uint32Array(addedSize);
  const isOld = new Uint8Array(addedSize);
  for (let i = 0; old && i < addedSize; i++) {
    const key = keyAt(added!, i);
    places[i] = old.lowerBound(key);
    if (old.find(key) < 0) continue;
    isOld[i] = 1;
    oldCodes[places[i] + 1] = 1;
  }
  let size = 0;
  let next = 0;
  for (let i = 0; i <= oldSize; i++) {
    for (; next < addedSize && places[next] === i && isOld[next] === 0; next++) {
      picks[size++] = ~next;
      addedCodes[next + 1] = size;
    }
    if (i === oldSize || oldCodes[i + 1] === 0) continue;
    picks[size++] = i;
    oldCodes[i + 1] = size;
    if (next < addedSize && places[next] === i) addedCodes[++next] = size;
  }
  return picks.subarray(0, size);
}

/** Returns `lesser` and `isKnown` of a DeltaColumn. */
function placeAmong(
  base: Dictionary,
  old: DeltaColumn | null,
  added: Column | null,
  picks: Int32Array,
): Pick<DeltaColumn, 'lesser' | 'isKnown'> {
  const lesser = new Uint32Array(picks.length + 1);
  const isKnown = new Uint8Array(picks.length + 1);
  isKnown[0] = 1;
  for (let i = 0; i < picks.length; i++) {
    const pick = picks[i];
    if (pick >= 0) {
      lesser[i + 1] = old!.lesser[pick + 1];
      isKnown[i + 1] = old!.isKnown[pick + 1];
    } else {
      const key = keyAt(added!.dictionary, ~pick);
      lesser[i + 1] = base.lowerBound(key);
      isKnown[i + 1] = base.find(key) >= 0 ? 1 : 0;
    }
  }
  return { lesser, isKnown };
}

/** Returns the dictionary of picked values. */
function dictionaryOf(
  base: Exclude<Dictionary, { kind: 'presence' }>,
  old: Dictionary | null,
  added: Dictionary | null,
  picks: Int32Array,
): Dictionary {
  switch (base.kind) {
    case 'number': {
      const oldValues = (old as NumberDictionary | null)?.values;
      const addedValues = (added as NumberDictionary | null)?.values;
      const values = new Float64Array(picks.length);
      for (let i = 0; i < picks.length; i++) {
        values[i] = picks[i] >= 0 ? oldValues![picks[i]] : addedValues![~picks[i]];
      }
      return NumberDictionary.of(values, base.texts);
    }
    case 'bigint': {
      const oldValues = (old as BigIntegerDictionary | null)?.values;
      const addedValues = (added as BigIntegerDictionary | null)?.values;
      const values = new BigInt64Array(picks.length);
      for (let i = 0; i < picks.length; i++) {
        values[i] = picks[i] >= 0 ? oldValues![picks[i]] : addedValues![~picks[i]];
      }
      return new BigIntegerDictionary(values);
    }
    case 'text': {
      const oldTexts = (old as DeltaTextDictionary | null)?.texts;
      const texts: DeltaText[] = [];
      for (let i = 0; i < picks.length; i++) {
        const pick = picks[i];
        texts.push(pick >= 0 ? oldTexts![pick] : new DeltaText((added as TextDictionary).withSeparators(~pick)));
      }
      return new DeltaTextDictionary(texts);
    }
  }
}

function keyAt(dictionary: Dictionary, i: number): SearchKey {
  switch (dictionary.kind) {
    case 'text':
      return (dictionary as TextDictionary).withSeparators(i).subarray(1, -1);
    case 'presence':
      return true;
    default:
      return dictionary.values[i];
  }
}
