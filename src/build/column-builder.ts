/** Collect the values of one attribute as they come, outside the heap, and finish them as a column. */
import type { ScalarType } from '../model/schema.ts';
import { searchTextOf } from '../model/search-text.ts';
import { type Comparable, type ComparisonKind, comparisonKindOf } from '../model/value-types.ts';
import { GrowableDoubles, GrowableNumbers } from '../sets/growable-buffers.ts';
import { iota } from '../sets/row-set.ts';
import { Column } from '../store/column.ts';
import type { Dictionary } from '../store/dictionary.ts';
import { BigIntegerDictionary, NumberDictionary, PresenceDictionary } from '../store/number-dictionary.ts';
import { TextDictionary } from '../store/text/text-dictionary.ts';
import { sortTexts } from './sort-texts.ts';
import { Utf8Writer } from './utf8-writer.ts';

export interface ColumnBuilder {
  /** Takes the value of the next arrival; undefined: null. */
  push(value: Comparable | undefined): void;
  /** The column in which row r has the value of arrival `order[r]`. */
  finish(order: Uint32Array): Column;
}

const builders: Record<ComparisonKind, new (type: ScalarType) => ColumnBuilder> = {
  text: class TextColumnBuilder implements ColumnBuilder {
    readonly #bytes = new Utf8Writer();
    readonly #starts = new GrowableNumbers();
    /** For each arrival the number of its text, counted from 1. */
    readonly #numbers = new GrowableNumbers();
    #last = '';

    push(value: string | undefined): void {
      // versions of one document stand side by side and have most of their texts in common
      if (value !== undefined && (value !== this.#last || this.#starts.length === 0)) {
        this.#starts.push(this.#bytes.length);
        this.#bytes.raw(value);
        this.#last = value;
      }
      this.#numbers.push(value === undefined ? 0 : this.#starts.length);
    }

    finish(order: Uint32Array): Column {
      const count = this.#starts.length;
      this.#starts.push(this.#bytes.length);
      const starts = this.#starts.take();
      const bytes = this.#bytes.take();
      const numbers = this.#numbers.take();
      const sorted = iota(count);
      sortTexts(bytes, starts, sorted);
      const codes = new Uint32Array(count + 1);
      let size = 0;
      for (const text of sorted) {
        const last = sorted[size - 1];
        const isNew =
          size === 0 ||
          starts[last + 1] - starts[last] !== starts[text + 1] - starts[text] ||
          bytes.compare(bytes, starts[last], starts[last + 1], starts[text], starts[text + 1]) !== 0;
        if (isNew) sorted[size++] = text;
        codes[text + 1] = size;
      }
      const dictionary = TextDictionary.ofBytes(bytes, starts, sorted.subarray(0, size));
      return new Column(
        order.map((arrival) => codes[numbers[arrival]]),
        dictionary,
      );
    }
  },

  number: class NumberColumnBuilder implements ColumnBuilder {
    readonly #type: ScalarType;
    /** NaN is null. */
    readonly #values = new GrowableDoubles();

    constructor(type: ScalarType) {
      this.#type = type;
    }

    push(value: number | undefined): void {
      this.#values.push(value ?? Number.NaN);
    }

    finish(order: Uint32Array): Column {
      const values = this.#values.take();
      // NaN is sorted behind all numbers
      const sorted = values.slice().sort();
      let size = 0;
      for (const value of sorted) {
        if (!Number.isNaN(value) && (size === 0 || value !== sorted[size - 1])) sorted[size++] = value;
      }
      const dictionary = new NumberDictionary(sorted.slice(0, size), searchTextOf(this.#type));
      return codedColumn(order, dictionary, (arrival) => {
        const value = values[arrival];
        return Number.isNaN(value) ? undefined : value;
      });
    }
  },

  bigint: class BigIntegerColumnBuilder implements ColumnBuilder {
    readonly #values: (bigint | undefined)[] = [];

    push(value: bigint | undefined): void {
      this.#values.push(value);
    }

    finish(order: Uint32Array): Column {
      const sorted = BigInt64Array.from(this.#values.filter((value) => value !== undefined)).sort();
      const dictionary = new BigIntegerDictionary(sorted.filter((value, i) => i === 0 || value !== sorted[i - 1]));
      return codedColumn(order, dictionary, (arrival) => this.#values[arrival]);
    }
  },

  presence: class PresenceColumnBuilder implements ColumnBuilder {
    readonly #codes = new GrowableNumbers();

    push(value: true | undefined): void {
      this.#codes.push(value ? 1 : 0);
    }

    finish(order: Uint32Array): Column {
      const codes = this.#codes.take();
      return new Column(
        order.map((arrival) => codes[arrival]),
        new PresenceDictionary(),
      );
    }
  },
};

export function columnBuilder(type: ScalarType): ColumnBuilder {
  return new builders[comparisonKindOf(type)](type);
}

/** The column of values that are all in the dictionary. */
function codedColumn(
  order: Uint32Array,
  dictionary: Dictionary,
  comparableAt: (arrival: number) => Comparable | undefined,
): Column {
  const codes = order.map((arrival) => {
    const value = comparableAt(arrival);
    return value === undefined ? 0 : dictionary.upperBound(value);
  });
  return new Column(codes, dictionary);
}
