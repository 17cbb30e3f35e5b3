import { GrowableBytes, GrowableNumbers } from './growable.ts';
import { Slices } from './slices.ts';

/** Collects the segments of rows as they arrive. */
export class SlicesBuilder {
  readonly #names: readonly string[];
  /** What stands before each value: `"id":` for the first, `,"name":` for all others. */
  readonly #starts: readonly string[];
  readonly #startBytes: readonly number[];
  /** The bytes of each segment of the row that is being added. */
  readonly #sizes: number[];
  readonly #bytes = new GrowableBytes();
  readonly #offsets = new GrowableNumbers();

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#starts = names.map((name, position) => `${position > 0 ? ',' : ''}${JSON.stringify(name)}:`);
    this.#startBytes = this.#starts.map((start) => Buffer.byteLength(start));
    this.#sizes = names.map(() => 0);
  }

  /** Adds a row; `values` are JSON, one for each name. */
  add(values: readonly string[]): void {
    const starts = this.#starts;
    let row = '';
    let longest = 0;
    for (let i = 0; i < values.length; i++) {
      row += starts[i] + values[i];
      if (values[i].length > values[longest].length) longest = i;
    }
    let end = this.#bytes.length;
    const bytes = this.#bytes.push(row);
    // characters beyond ASCII take more bytes than units: only then are bytes counted, and never those of the longest
    const isAscii = bytes === row.length;
    const sizes = this.#sizes;
    let left = bytes;
    for (let i = 0; i < values.length; i++) {
      if (i === longest) continue;
      sizes[i] = isAscii ? starts[i].length + values[i].length : this.#startBytes[i] + Buffer.byteLength(values[i]);
      left -= sizes[i];
    }
    sizes[longest] = left;
    for (let i = 0; i < values.length; i++) {
      this.#offsets.push(end);
      end += sizes[i];
    }
    this.#offsets.push(end);
  }

  /**
   * The slices, row r being arrival `order[r]`. `ids` are the ids by arrival where some were not known when their rows
   * arrived: the first segment of every row is then written anew.
   */
  finish(order: Uint32Array, isInOrder: boolean, ids: readonly number[] | null): Slices {
    const stride = this.#names.length + 1;
    const arrived = this.#offsets.take();
    const bytes = this.#bytes.seal();
    if (ids) return this.#withIds(bytes, arrived, order, ids);
    const offsets = isInOrder ? arrived : new Uint32Array(arrived.length);
    if (!isInOrder) {
      for (let row = 0; row < order.length; row++) {
        offsets.set(arrived.subarray(order[row] * stride, (order[row] + 1) * stride), row * stride);
      }
    }
    return new Slices(bytes, offsets, this.#names);
  }

  #withIds(bytes: Buffer, arrived: Uint32Array, order: Uint32Array, ids: readonly number[]): Slices {
    const stride = this.#names.length + 1;
    const written = new GrowableBytes();
    const offsets = new Uint32Array(arrived.length);
    for (let row = 0; row < order.length; row++) {
      const first = order[row] * stride;
      offsets[row * stride] = written.length;
      written.push(`${this.#starts[0]}${ids[order[row]]}`);
      const shift = written.length - arrived[first + 1];
      for (let i = 1; i < stride; i++) offsets[row * stride + i] = arrived[first + i] + shift;
      written.copy(bytes, arrived[first + 1], arrived[first + stride - 1]);
    }
    return new Slices(written.seal(), offsets, this.#names);
  }
}
