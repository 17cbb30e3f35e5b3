import { Column, type ValueIndex } from '../columns/column.ts';
import type { Dictionary } from '../columns/dictionary.ts';

/** The values of one attribute by delta row, and where they belong among the values of the collection's column. */
export class DeltaColumn extends Column {
  /**
   * By code: the code of the value in the collection's column; for a value that the column lacks, how many of its values
   * are less, negated as by ~. Code 0 is null in both.
   */
  readonly baseCodes: Int32Array;
  #places: MergedPlaces | null = null;

  constructor(codes: Uint32Array, dictionary: Dictionary, index: ValueIndex, baseCodes: Int32Array) {
    super(codes, dictionary, index);
    this.baseCodes = baseCodes;
  }

  /** The places of the values among the `size` values of the collection's column. They are made at the first use. */
  places(size: number): MergedPlaces {
    this.#places ??= mergedPlaces(this.baseCodes, size);
    return this.#places;
  }
}

/** Places above this do not fit in a rank. */
const greatestPlace = 2 ** 32 - 1;

/** Where values of a collection's column and of its delta stand in one order. Places ascend from 1; null has 0. */
interface MergedPlaces {
  /** The place of a code of the collection's column, or of the code after the last one. */
  stored(code: number): number;
  /** By code of the delta's column. */
  readonly own: Uint32Array;
}

/**
 * Returns the places of the values of both columns. Leaves as many places free after each value of the collection as
 * the most values of the delta that stand between two of them, so that the place of a code is a product. If places
 * become too great for that, counts them: that takes a time linear in the values of the collection.
 */
function mergedPlaces(baseCodes: Int32Array, size: number): MergedPlaces {
  // values of the delta between two of the collection have the same item
  let most = 0;
  let run = 0;
  for (let code = 1; code < baseCodes.length; code++) {
    if (baseCodes[code] >= 0) continue;
    run = baseCodes[code - 1] === baseCodes[code] ? run + 1 : 1;
    if (run > most) most = run;
  }
  const factor = most + 1;
  const isProduct = (size + 2) * factor <= greatestPlace;
  const counted = isProduct ? null : countedPlaces(baseCodes, size);
  const stored = counted ? (code: number) => counted[code] : (code: number) => code * factor;
  const own = new Uint32Array(baseCodes.length);
  for (let code = 1; code < baseCodes.length; code++) {
    const baseCode = baseCodes[code];
    if (baseCode >= 0) own[code] = stored(baseCode);
    else own[code] = (baseCodes[code - 1] === baseCode ? own[code - 1] : stored(~baseCode)) + 1;
  }
  return { stored, own };
}

/** Returns the places of the codes of the collection, from 0 to one after the last. */
function countedPlaces(baseCodes: Int32Array, size: number): Uint32Array {
  const places = new Uint32Array(size + 2);
  let before = 0;
  let next = 1;
  for (let code = 1; code < places.length; code++) {
    // values that stand between the value before this one and this one
    for (; next < baseCodes.length && lesserValues(baseCodes[next]) < code; next++) if (baseCodes[next] < 0) before++;
    places[code] = code + before;
  }
  return places;
}

function lesserValues(baseCode: number): number {
  return baseCode < 0 ? ~baseCode : baseCode - 1;
}
