import { Column, type ValueIndex } from '../columns/column.ts';
import type { Dictionary } from '../columns/dictionary.ts';

/** The values of one attribute by delta row, and where they belong among the values of the collection's column. */
export class DeltaColumn extends Column {
  /** By code: how many values of the collection's column are less than this one. Code 0, which is null, has none. */
  readonly lesser: Uint32Array;
  /** By code: whether the collection's column has the value, 1 or 0. It always has code 0. */
  readonly isKnown: Uint8Array;
  #places: MergedPlaces | null = null;

  constructor(codes: Uint32Array, dictionary: Dictionary, index: ValueIndex, lesser: Uint32Array, isKnown: Uint8Array) {
    super(codes, dictionary, index);
    this.lesser = lesser;
    this.isKnown = isKnown;
  }

  /** The places of the values among the `size` values of the collection's column. They are made at the first use. */
  places(size: number): MergedPlaces {
    this.#places ??= mergedPlaces(this, size);
    return this.#places;
  }
}

/** Places above this do not fit in a rank. */
const greatestPlace = 2 ** 32 - 1;

/** The values of a delta's column, as in DeltaColumn. */
interface DeltaValues {
  readonly dictionary: { readonly size: number };
  readonly lesser: Uint32Array;
  readonly isKnown: Uint8Array;
}

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
function mergedPlaces({ lesser, isKnown, dictionary }: DeltaValues, size: number, limit = greatestPlace): MergedPlaces {
  let most = 0;
  let run = 0;
  for (let code = 1; code <= dictionary.size; code++) {
    if (isKnown[code] === 1) continue;
    run = code > 1 && isKnown[code - 1] === 0 && lesser[code - 1] === lesser[code] ? run + 1 : 1;
    if (run > most) most = run;
  }
  const factor = most + 1;
  const isProduct = (size + 2) * factor <= limit;
  const counted = isProduct ? null : countedPlaces({ lesser, isKnown, dictionary }, size);
  const stored = counted ? (code: number) => counted[code] : (code: number) => code * factor;
  const own = new Uint32Array(dictionary.size + 1);
  for (let code = 1; code <= dictionary.size; code++) {
    const follows = code > 1 && isKnown[code - 1] === 0 && lesser[code - 1] === lesser[code];
    if (isKnown[code] === 1) own[code] = stored(lesser[code] + 1);
    else own[code] = (follows ? own[code - 1] : stored(lesser[code])) + 1;
  }
  return { stored, own };
}

/** Returns the places of the codes of the collection, from 0 to one after the last. */
function countedPlaces({ lesser, isKnown, dictionary }: DeltaValues, size: number): Uint32Array {
  const places = new Uint32Array(size + 2);
  let before = 0;
  let next = 1;
  for (let code = 1; code < places.length; code++) {
    // values that stand between the value before this one and this one
    for (; next <= dictionary.size && lesser[next] < code; next++) if (isKnown[next] === 0) before++;
    places[code] = code + before;
  }
  return places;
}
