import type { Allocator } from '../../../core/memory/allocator.ts';
import { GrowableBytes, GrowableNumbers } from '../../../core/memory/growable-buffers.ts';
import { JsonRows } from '../../json-rows.ts';
import { Utf8Writer } from './utf8-writer.ts';

/** Collects the JSON of rows in load order: one fragment for each attribute. */
export class JsonRowsBuilder {
  readonly #allocator: Allocator;
  readonly #names: readonly string[];
  /** The bytes before each value: `"id":` for the first, `,"name":` for all others. */
  readonly #keys: readonly Buffer[];
  readonly #place: string;
  readonly #json: Utf8Writer;
  readonly #offsets: GrowableNumbers;

  /** `place` names the type in the error for rows of more than 4 GiB. */
  constructor(names: readonly string[], allocator: Allocator, place: string) {
    this.#allocator = allocator;
    this.#place = place;
    this.#json = new Utf8Writer(place);
    this.#offsets = new GrowableNumbers(place);
    this.#names = names;
    this.#keys = names.map((name, i) => Buffer.from(`${i > 0 ? ',' : ''}${JSON.stringify(name)}:`));
  }

  /**
   * Begins a fragment, and returns the writer for its one value. A row has a fragment for each name, in their order.
   */
  fragment(position: number): Utf8Writer {
    this.#offsets.push(this.#json.length);
    this.#json.bytes(this.#keys[position]);
    return this.#json;
  }

  /** Returns a function that adds a row with the bytes of a row of `rows`, which have the same attributes. */
  copier(rows: JsonRows): (row: number) => void {
    const { buffer, byteOffset, length } = rows.bytes;
    const bytes = Buffer.from(buffer, byteOffset, length);
    const { offsets } = rows;
    const stride = this.#names.length + 1;
    return (row) => {
      const first = row * stride;
      const start = offsets[first];
      const shift = this.#json.length - start;
      for (let i = 0; i < stride; i++) this.#offsets.push(offsets[first + i] + shift);
      this.#json.copy(bytes, start, offsets[first + stride - 1]);
    };
  }

  /** Ends a row. */
  endRow(): void {
    this.#offsets.push(this.#json.length);
  }

  /**
   * Returns the rows, row r being the one with load ordinal `order[r]`. `ids` are the ids by ordinal if some were not
   * known when their rows were added: the first fragment of every row is then written again. The builder is empty then.
   */
  finish(order: Uint32Array, isLoadOrder: boolean, ids: Float64Array | null): JsonRows {
    if (ids) return this.#withIds(order, ids);
    if (isLoadOrder) {
      return new JsonRows(this.#json.take(this.#allocator), this.#offsets.take(this.#allocator), this.#names);
    }
    const stride = this.#names.length + 1;
    const loaded = this.#offsets.take();
    const offsets = this.#allocator.uint32(loaded.length);
    for (let row = 0; row < order.length; row++) {
      offsets.set(loaded.subarray(order[row] * stride, (order[row] + 1) * stride), row * stride);
    }
    return new JsonRows(this.#json.take(this.#allocator), offsets, this.#names);
  }

  #withIds(order: Uint32Array, ids: Float64Array): JsonRows {
    const stride = this.#names.length + 1;
    const loaded = this.#offsets.take();
    const bytes = this.#json.take();
    const written = new GrowableBytes(this.#place);
    const offsets = this.#allocator.uint32(loaded.length);
    for (let row = 0; row < order.length; row++) {
      const first = order[row] * stride;
      offsets[row * stride] = written.length;
      written.push(`"id":${ids[order[row]]}`);
      const shift = written.length - loaded[first + 1];
      for (let i = 1; i < stride; i++) offsets[row * stride + i] = loaded[first + i] + shift;
      written.copy(bytes, loaded[first + 1], loaded[first + stride - 1]);
    }
    return new JsonRows(written.take(this.#allocator), offsets, this.#names);
  }
}
