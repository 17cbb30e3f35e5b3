import { Column } from '../columns/column.ts';
import type { Dictionary } from '../columns/dictionary.ts';
import type { ValueIndex } from '../columns/value-index.ts';
import { type MergedPlaces, mergedPlaces } from './merged-places.ts';

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
