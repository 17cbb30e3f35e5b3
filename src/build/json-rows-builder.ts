import { GrowableBytes, GrowableNumbers } from '../sets/growable-buffers.ts';
import { JsonRows } from '../store/json-rows.ts';
import { Utf8Writer } from './utf8-writer.ts';

/** Collects the segments of rows as they arrive. */
export class JsonRowsBuilder {
  readonly #names: readonly string[];
  /** What stands before each value: `"id":` for the first, `,"name":` for all others. */
  readonly #starts: readonly Buffer[];
  readonly #json = new Utf8Writer();
  readonly #offsets = new GrowableNumbers();

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#starts = names.map((name, i) => Buffer.from(`${i > 0 ? ',' : ''}${JSON.stringify(name)}:`));
  }

  /** Begins a segment, and gives what takes its one value. Those of a row begin in the order of the names. */
  segment(position: number): Utf8Writer {
    this.#offsets.push(this.#json.length);
    this.#json.bytes(this.#starts[position]);
    return this.#json;
  }

  /** Ends a row, in which a segment has begun for each name. */
  endRow(): void {
    this.#offsets.push(this.#json.length);
  }

  /**
   * The jsonRows, row r being arrival `order[r]`. `ids` are the ids by arrival where some were not known when their rows
   * arrived: the first segment of every row is then written anew.
   */
  finish(order: Uint32Array, isInOrder: boolean, ids: Float64Array | null): JsonRows {
    const stride = this.#names.length + 1;
    const arrived = this.#offsets.take();
    const bytes = this.#json.take();
    if (ids) return this.#withIds(bytes, arrived, order, ids);
    const offsets = isInOrder ? arrived : new Uint32Array(arrived.length);
    if (!isInOrder) {
      for (let row = 0; row < order.length; row++) {
        offsets.set(arrived.subarray(order[row] * stride, (order[row] + 1) * stride), row * stride);
      }
    }
    return new JsonRows(bytes, offsets, this.#names);
  }

  #withIds(bytes: Buffer, arrived: Uint32Array, order: Uint32Array, ids: Float64Array): JsonRows {
    const stride = this.#names.length + 1;
    const written = new GrowableBytes();
    const offsets = new Uint32Array(arrived.length);
    for (let row = 0; row < order.length; row++) {
      const first = order[row] * stride;
      offsets[row * stride] = written.length;
      written.push(`"id":${ids[order[row]]}`);
      const shift = written.length - arrived[first + 1];
      for (let i = 1; i < stride; i++) offsets[row * stride + i] = arrived[first + i] + shift;
      written.copy(bytes, arrived[first + 1], arrived[first + stride - 1]);
    }
    return new JsonRows(written.take(), offsets, this.#names);
  }
}
