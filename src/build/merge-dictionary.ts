import type { Column } from '../store/column.ts';
import type { DeltaColumn } from '../store/delta-column.ts';
import type { Dictionary } from '../store/dictionary.ts';
import { BigIntegerDictionary, NumberDictionary } from '../store/number-dictionary.ts';
import type { SearchKey } from '../store/sorted-values.ts';
import { DeltaText, DeltaTextDictionary } from '../store/text/delta-text-dictionary.ts';
import type { TextDictionary } from '../store/text/text-dictionary.ts';

/** The values of a delta's column. */
export interface MergedDictionary extends Pick<DeltaColumn, 'dictionary' | 'lesser' | 'isKnown'> {
  /** The codes of the values by their codes in the old column. */
  readonly oldCodes: Uint32Array;
  /** The codes of the values by their codes in the column of the batch. */
  readonly addedCodes: Uint32Array;
}

/** By code: 0 is null, and 1 the one value of a column of presence. */
const presenceCodes = Uint32Array.of(0, 1);
const presence = { lesser: new Uint32Array(2), isKnown: Uint8Array.of(1, 1) };

/**
 * Merges the values of a batch into those of a delta, without those that no row has any more. The parameters are those
 * of mergeColumn. Looks up the values of the batch by binary search, and compares no others.
 */
export function mergeDictionary(
  base: Dictionary,
  old: DeltaColumn | null,
  added: Column | null,
  sources: Int32Array,
): MergedDictionary {
  if (base.kind === 'presence') {
    return { dictionary: base, ...presence, oldCodes: presenceCodes, addedCodes: presenceCodes };
  }
  const oldSize = old?.dictionary.size ?? 0;
  const addedSize = added?.dictionary.size ?? 0;
  const addedCodes = new Uint32Array(addedSize + 1);
  // first 1 for each value that a row has, then its code
  const oldCodes = new Uint32Array(oldSize + 1);
  for (let row = 0; row < sources.length; row++) if (sources[row] >= 0) oldCodes[old!.codes[sources[row]]] = 1;
  oldCodes[0] = 0;

  const picks = new Int32Array(oldSize + addedSize);
  let size = 0;
  let isShared = true;
  let nextOld = 0;
  const keepOld = (end: number) => {
    for (; nextOld < end; nextOld++) {
      if (oldCodes[nextOld + 1] === 0) continue;
      picks[size++] = nextOld;
      oldCodes[nextOld + 1] = size;
    }
  };
  for (let i = 0; i < addedSize; i++) {
    const key = keyAt(added!.dictionary, i);
    const place = old?.dictionary.lowerBound(key) ?? 0;
    keepOld(place);
    if (old && old.dictionary.find(key) >= 0) {
      oldCodes[place + 1] = 1;
      keepOld(place + 1);
    } else {
      picks[size++] = ~i;
      isShared = false;
    }
    addedCodes[i + 1] = size;
  }
  keepOld(oldSize);

  if (old && isShared && size === oldSize) {
    const { dictionary, lesser, isKnown } = old;
    return { dictionary, lesser, isKnown, oldCodes, addedCodes };
  }
  const chosen = picks.subarray(0, size);
  const dictionary = pickValues(base, old?.dictionary ?? null, added?.dictionary ?? null, chosen);
  return { dictionary, ...placeAmong(base, old, added, chosen), oldCodes, addedCodes };
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

/** Returns the dictionary of picked values, each by its number in `old`, or as `~number` in `added`. */
function pickValues(
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
