/**
 * Collect the values of one attribute in load order and finish them as a column. The values are outside the heap; only
 * big integers are on it.
 */
import { type Allocator, heapAllocator } from '../../../core/memory/allocator.ts';
import { GrowableDoubles, GrowableNumbers } from '../../../core/memory/growable-buffers.ts';
import { searchTextOf } from '../../../model/schema/compared-texts.ts';
import type { ScalarType } from '../../../model/schema/schema.ts';
import { type Comparable, type ComparisonKind, comparisonKindOf } from '../../../model/schema/value-types.ts';
import { Column } from '../../columns/column.ts';
import { type Dictionary, PresenceDictionary } from '../../columns/dictionary.ts';
import { BigIntegerDictionary, NumberDictionary } from '../../columns/number-dictionary.ts';
import { TextColumnBuilder } from '../text/text-column-builder.ts';
import { buildValueIndex } from './build-value-index.ts';
import { rankNumbers } from './rank-numbers.ts';

export interface ColumnBuilder {
  /** Takes the value of the next row; undefined is null. */
  push(value: Comparable | undefined): void;
  /**
   * Returns a function that takes the value of a row of another column of the same kind as the value of the next row.
   */
  copier(source: Column): (row: number) => void;
  /** Returns the column in which row r has the value with load ordinal `order[r]`. Call it once. */
  finish(order: Uint32Array): Column;
}

/** `place` names the attribute in the errors for values of more than 2 or 4 GiB. */
export function columnBuilder(type: ScalarType, allocator: Allocator = heapAllocator, place?: string): ColumnBuilder {
  return new builders[comparisonKindOf(type)](allocator, type, place);
}

/** Builds the column of codes into a dictionary. */
export function buildColumn(codes: Uint32Array, dictionary: Dictionary, allocator: Allocator = heapAllocator): Column {
  return new Column(codes, dictionary, buildValueIndex(codes, dictionary.size, allocator));
}

class NumberColumnBuilder implements ColumnBuilder {
  readonly #allocator: Allocator;
  readonly #type: ScalarType;
  /** NaN is null. */
  readonly #values: GrowableDoubles;

  constructor(allocator: Allocator, type: ScalarType, place?: string) {
    this.#allocator = allocator;
    this.#type = type;
    this.#values = new GrowableDoubles(place);
  }

  push(value: number | undefined): void {
    // -0 equals 0, so that the dictionary has one of them
    this.#values.push((value ?? Number.NaN) + 0);
  }

  copier({ codes, dictionary }: Column): (row: number) => void {
    const { values } = dictionary as NumberDictionary;
    return (row) => this.#values.push(codes[row] === 0 ? Number.NaN : values[codes[row] - 1]);
  }

  finish(order: Uint32Array): Column {
    const { distinct, ranks } = rankNumbers(this.#values.take());
    const dictionary = buildNumberDictionary(distinct, this.#type, this.#allocator);
    return buildColumn(inOrder(ranks, order, this.#allocator), dictionary, this.#allocator);
  }
}

class BigIntegerColumnBuilder implements ColumnBuilder {
  readonly #allocator: Allocator;
  readonly #values: (bigint | undefined)[] = [];

  constructor(allocator: Allocator) {
    this.#allocator = allocator;
  }

  push(value: bigint | undefined): void {
    this.#values.push(value);
  }

  copier({ codes, dictionary }: Column): (row: number) => void {
    const { values } = dictionary as BigIntegerDictionary;
    return (row) => void this.#values.push(codes[row] === 0 ? undefined : values[codes[row] - 1]);
  }

  finish(order: Uint32Array): Column {
    const sorted = BigInt64Array.from(this.#values.filter((value) => value !== undefined)).sort();
    const distinct = sorted.filter((value, i) => i === 0 || value !== sorted[i - 1]);
    const values = this.#allocator.bigint64(distinct.length);
    values.set(distinct);
    const dictionary = new BigIntegerDictionary(values);
    const codes = this.#allocator.uint32(order.length);
    for (let row = 0; row < order.length; row++) {
      const value = this.#values[order[row]];
      if (value !== undefined) codes[row] = dictionary.upperBound(value);
    }
    return buildColumn(codes, dictionary, this.#allocator);
  }
}

class PresenceColumnBuilder implements ColumnBuilder {
  readonly #allocator: Allocator;
  readonly #codes: GrowableNumbers;

  constructor(allocator: Allocator, _type: ScalarType, place?: string) {
    this.#allocator = allocator;
    this.#codes = new GrowableNumbers(place);
  }

  push(value: true | undefined): void {
    this.#codes.push(value ? 1 : 0);
  }

  copier({ codes }: Column): (row: number) => void {
    return (row) => this.#codes.push(codes[row]);
  }

  finish(order: Uint32Array): Column {
    const codes = inOrder(this.#codes.take(), order, this.#allocator);
    return buildColumn(codes, new PresenceDictionary(), this.#allocator);
  }
}

/** Returns the codes of rows, of which row r has the load ordinal `order[r]`. */
function inOrder(codes: Uint32Array, order: Uint32Array, allocator: Allocator): Uint32Array {
  const ordered = allocator.uint32(order.length);
  for (let row = 0; row < order.length; row++) ordered[row] = codes[order[row]];
  return ordered;
}

const builders: Record<ComparisonKind, new (allocator: Allocator, type: ScalarType, place?: string) => ColumnBuilder> =
  {
    text: TextColumnBuilder,
    number: NumberColumnBuilder,
    bigint: BigIntegerColumnBuilder,
    presence: PresenceColumnBuilder,
  };

/** Builds the dictionary of distinct values in ascending order. */
export function buildNumberDictionary(
  values: Float64Array,
  type: ScalarType,
  allocator: Allocator = heapAllocator,
): NumberDictionary {
  const distinct = allocator.float64(values.length);
  distinct.set(values);
  return NumberDictionary.of(distinct, searchTextOf(type));
}
