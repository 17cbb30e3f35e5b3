import { type Allocator, heapAllocator } from '../../../core/memory/allocator.ts';
import { GrowableBytes, GrowableNumbers } from '../../../core/memory/growable-buffers.ts';
import { JsonRows } from '../../json-rows.ts';
import { Segment } from '../../segment.ts';
import { createStore, type Store } from '../../store.ts';
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

/** Returns the store with the bytes of its serialised rows in row order, so that equal content has equal bytes. */
export function withRowsInOrder(store: Store): Store {
  const collections = store.collections.map((collection) =>
    Object.freeze({ ...collection, jsonRows: jsonRowsInOrder(collection.jsonRows) }),
  );
  return createStore(
    store,
    collections.map((collection) => new Segment(collection)),
  );
}

/** Whether the bytes of rows follow each other in row order. A load leaves them in the order of the file. */
function isInRowOrder({ offsets }: JsonRows): boolean {
  for (let i = 1; i < offsets.length; i++) if (offsets[i - 1] > offsets[i]) return false;
  return true;
}

/** Copies serialised rows in row order. Returns the same if they are in order. */
function jsonRowsInOrder(rows: JsonRows, allocator: Allocator = heapAllocator): JsonRows {
  const { bytes, names } = rows;
  if (isInRowOrder(rows)) return rows;
  const stride = names.length + 1;
  const ordered = allocator.bytes(bytes.length);
  const offsets = allocator.uint32(rows.offsets.length);
  let end = 0;
  for (let first = 0; first < offsets.length; first += stride) {
    const start = rows.offsets[first];
    for (let i = 0; i < stride; i++) offsets[first + i] = rows.offsets[first + i] - start + end;
    const length = rows.offsets[first + stride - 1] - start;
    ordered.set(bytes.subarray(start, start + length), end);
    end += length;
  }
  // the memory is not cleared, so bytes that no row has would be those of something else
  if (end !== bytes.length) throw new Error(`the rows have ${end} of ${bytes.length} bytes of JSON`);
  return new JsonRows(ordered, offsets, names);
}
