import type { Column } from '../columns/column.ts';
import type { Dictionary } from '../columns/dictionary.ts';
import { BigIntegerDictionary, NumberDictionary } from '../columns/number-dictionary.ts';
import type { SearchKey } from '../columns/sorted-values.ts';
import { DeltaText, DeltaTextDictionary } from '../texts/delta-text-dictionary.ts';
import type { TextDictionary } from '../texts/text-dictionary.ts';
import type { DeltaColumn } from './delta-column.ts';
import type { MergedRows } from './merge-rows.ts';

/** Arrays for one column after the other, long enough for the values of the delta and the batch. */
export class MergeScratch {
  /** The new codes of values, by their codes in the old column. */
  readonly oldCodes: Uint32Array;
  /** The new codes of values, by their codes in the column of the batch. */
  readonly addedCodes: Uint32Array;
  /** By old code: how many rows have it. */
  readonly uses: Uint32Array;

  /** A column has no more values than rows. */
  constructor(oldRows: number, addedRows: number) {
    this.oldCodes = new Uint32Array(oldRows + 2);
    this.addedCodes = new Uint32Array(addedRows + 2);
    this.uses = new Uint32Array(oldRows + 2);
  }
}

type MergedDictionary = Pick<DeltaColumn, 'dictionary' | 'lesser' | 'isKnown'>;

/** By code: 0 is null, and 1 the one value of a column of presence. */
const presence = { lesser: new Uint32Array(2), isKnown: Uint8Array.of(1, 1) };

/**
 * Merges the values of a batch into those of a delta, without those that no row has any more. The parameters are those
 * of mergeColumn. Fills in the codes of `scratch`, but not those of old values if the dictionary stays. Looks up the
 * values of the batch by binary search, and compares no others.
 */
export function mergeDictionary(
  base: Dictionary,
  old: DeltaColumn | null,
  added: Column | null,
  { dropped }: Pick<MergedRows, 'dropped'>,
  scratch: MergeScratch,
): MergedDictionary {
  const { oldCodes, addedCodes } = scratch;
  if (base.kind === 'presence') {
    oldCodes[1] = 1;
    addedCodes[1] = 1;
    return { dictionary: base, ...presence };
  }
  const found = findValues(old?.dictionary ?? null, added?.dictionary ?? null);
  const gone = old ? goneCodes(old, dropped, scratch) : new Set<number>();
  for (const [i, place] of found.places.entries()) if (found.isOld[i] === 1) gone.delete(place + 1);
  if (old && gone.size === 0 && found.isOld.every((isOld) => isOld === 1)) {
    for (const [i, place] of found.places.entries()) addedCodes[i + 1] = place + 1;
    return { dictionary: old.dictionary, lesser: old.lesser, isKnown: old.isKnown };
  }
  const picked = pickValues(old?.dictionary.size ?? 0, gone, found, scratch);
  const dictionary = dictionaryOf(base, old?.dictionary ?? null, added?.dictionary ?? null, picked);
  return { dictionary, ...placeAmong(base, old, added, picked) };
}

/** Returns the codes that only dropped rows have. */
function goneCodes(
  { codes, dictionary }: DeltaColumn,
  dropped: ArrayLike<number>,
  { uses }: MergeScratch,
): Set<number> {
  const gone = new Set<number>();
  if (dropped.length === 0) return gone;
  uses.fill(0, 0, dictionary.size + 1);
  for (let row = 0; row < codes.length; row++) uses[codes[row]]++;
  for (let i = 0; i < dropped.length; i++) if (--uses[codes[dropped[i]]] === 0) gone.add(codes[dropped[i]]);
  gone.delete(0);
  return gone;
}

/** The values of a batch among old ones: how many old values are less than each, and whether the next one is equal. */
interface FoundValues {
  readonly places: Uint32Array;
  readonly isOld: Uint8Array;
}

function findValues(old: Dictionary | null, added: Dictionary | null): FoundValues {
  const size = added?.size ?? 0;
  const places = new Uint32Array(size);
  const isOld = new Uint8Array(size);
  for (let i = 0; old && i < size; i++) {
    const key = keyAt(added!, i);
    places[i] = old.lowerBound(key);
    isOld[i] = old.find(key) >= 0 ? 1 : 0;
  }
  return { places, isOld };
}

/** The values after a batch, in order. */
interface PickedValues {
  readonly size: number;
  /** Old values that stay neighbours. */
  readonly runs: readonly ValueRun[];
  /** The places of values of the batch, and their numbers in its column. */
  readonly added: readonly (readonly [place: number, value: number])[];
}

/** The old values from number `first` up to, not including, `end`, and the place of the first of them. */
interface ValueRun {
  readonly place: number;
  readonly first: number;
  readonly end: number;
}

/** Returns the values, and fills in the codes of `scratch`. */
function pickValues(
  oldSize: number,
  gone: ReadonlySet<number>,
  { places, isOld }: FoundValues,
  { oldCodes, addedCodes }: MergeScratch,
): PickedValues {
  const runs: ValueRun[] = [];
  const added: [number, number][] = [];
  const goneValues = Uint32Array.from(gone, (code) => code - 1).sort();
  let size = 0;
  let next = 0;
  let nextGone = 0;
  const keepUntil = (end: number) => {
    while (next < end) {
      const stop = nextGone < goneValues.length ? Math.min(end, goneValues[nextGone]) : end;
      if (stop > next) runs.push({ place: size, first: next, end: stop });
      for (; next < stop; next++) oldCodes[next + 1] = ++size;
      if (next < end) {
        next++;
        nextGone++;
      }
    }
  };
  for (let i = 0; i < places.length; i++) {
    if (isOld[i] === 1) continue;
    keepUntil(places[i]);
    added.push([size, i]);
    addedCodes[i + 1] = ++size;
  }
  keepUntil(oldSize);
  for (let i = 0; i < places.length; i++) if (isOld[i] === 1) addedCodes[i + 1] = oldCodes[places[i] + 1];
  return { size, runs, added };
}

/** Returns `lesser` and `isKnown` of a DeltaColumn. */
function placeAmong(
  base: Dictionary,
  old: DeltaColumn | null,
  from: Column | null,
  { size, runs, added }: PickedValues,
): Pick<DeltaColumn, 'lesser' | 'isKnown'> {
  const lesser = new Uint32Array(size + 1);
  const isKnown = new Uint8Array(size + 1);
  isKnown[0] = 1;
  for (const { place, first, end } of runs) {
    lesser.set(old!.lesser.subarray(first + 1, end + 1), place + 1);
    isKnown.set(old!.isKnown.subarray(first + 1, end + 1), place + 1);
  }
  for (const [place, value] of added) {
    const key = keyAt(from!.dictionary, value);
    lesser[place + 1] = base.lowerBound(key);
    isKnown[place + 1] = base.find(key) >= 0 ? 1 : 0;
  }
  return { lesser, isKnown };
}

/** Returns the dictionary of picked values. */
function dictionaryOf(
  base: Exclude<Dictionary, { kind: 'presence' }>,
  old: Dictionary | null,
  from: Dictionary | null,
  picked: PickedValues,
): Dictionary {
  switch (base.kind) {
    case 'number': {
      const values = new Float64Array(picked.size);
      const { values: oldValues } = (old ?? { values }) as NumberDictionary;
      for (const { place, first, end } of picked.runs) values.set(oldValues.subarray(first, end), place);
      for (const [place, value] of picked.added) values[place] = (from as NumberDictionary).values[value];
      return NumberDictionary.of(values, base.texts);
    }
    case 'bigint': {
      const values = new BigInt64Array(picked.size);
      const { values: oldValues } = (old ?? { values }) as BigIntegerDictionary;
      for (const { place, first, end } of picked.runs) values.set(oldValues.subarray(first, end), place);
      for (const [place, value] of picked.added) values[place] = (from as BigIntegerDictionary).values[value];
      return new BigIntegerDictionary(values);
    }
    case 'text': {
      const texts = new Array<DeltaText>(picked.size);
      const oldTexts = (old as DeltaTextDictionary | null)?.texts;
      for (const { place, first, end } of picked.runs) {
        for (let i = first; i < end; i++) texts[place + i - first] = oldTexts![i];
      }
      for (const [place, value] of picked.added) {
        texts[place] = new DeltaText((from as TextDictionary).withSeparators(value));
      }
      return new DeltaTextDictionary(texts, old as DeltaTextDictionary | null);
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
