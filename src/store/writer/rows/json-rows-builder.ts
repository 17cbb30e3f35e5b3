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
  readonly #places: GrowableNumbers;

  /** `place` names the type in the error for rows of more than 4 GiB. */
  constructor(names: readonly string[], allocator: Allocator, place: string) {
    this.#allocator = allocator;
    this.#place = place;
    this.#json = new Utf8Writer(place);
    this.#places = new GrowableNumbers(place);
    this.#names = names;
    this.#keys = names.map((name, i) => Buffer.from(`${i > 0 ? ',' : ''}${JSON.stringify(name)}:`));
  }

  /**
   * Begins a fragment, and returns the writer for its one value. A row has a fragment for each name, in their order.
   */
  fragment(position: number): Utf8Writer {
    this.#places.push(this.#json.length);
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
      const start = this.#json.length;
      for (let i = 0; i < stride; i++) this.#places.push(start + offsets[first + i]);
      this.#json.copy(bytes, ...rows.bounds(row));
    };
  }

  /** Ends a row. */
  endRow(): void {
    this.#places.push(this.#json.length);
  }

  /**
   * Returns the rows, row r being the one with load ordinal `order[r]`. `ids` are the ids by ordinal if some were not
   * known when their rows were added: the first fragment of every row is then written again. The builder is empty then.
   */
  finish(order: Uint32Array, isLoadOrder: boolean, ids: Float64Array | null): JsonRows {
    if (ids) return this.#withIds(order, ids);
    const bytes = this.#json.take(this.#allocator);
    return JsonRows.at(bytes, this.#places.take(), this.#names, this.#allocator, isLoadOrder ? null : order);
  }

  #withIds(order: Uint32Array, ids: Float64Array): JsonRows {
    const stride = this.#names.length + 1;
    const loaded = this.#places.take();
    const bytes = this.#json.take();
    const written = new GrowableBytes(this.#place);
    const places = new Uint32Array(loaded.length);
    for (let row = 0; row < order.length; row++) {
      const first = order[row] * stride;
      places[row * stride] = written.length;
      written.push(`"id":${ids[order[row]]}`);
      const shift = written.length - loaded[first + 1];
      for (let i = 1; i < stride; i++) places[row * stride + i] = loaded[first + i] + shift;
      written.copy(bytes, loaded[first + 1], loaded[first + stride - 1]);
    }
    return JsonRows.at(written.take(this.#allocator), places, this.#names, this.#allocator);
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
function isInRowOrder({ starts }: JsonRows): boolean {
  for (let row = 1; row < starts.length; row++) if (starts[row - 1] > starts[row]) return false;
  return true;
}

/** Copies serialised rows in row order. Returns the same if they are in order. */
function jsonRowsInOrder(rows: JsonRows, allocator: Allocator = heapAllocator): JsonRows {
  const { bytes, offsets, names } = rows;
  if (isInRowOrder(rows)) return rows;
  const ordered = allocator.bytes(bytes.length);
  const starts = allocator.uint32(rows.starts.length);
  let end = 0;
  for (let row = 0; row < starts.length; row++) {
    const [from, to] = rows.bounds(row);
    starts[row] = end;
    ordered.set(bytes.subarray(from, to), end);
    end += to - from;
  }
  // the memory is not cleared, so bytes that no row has would be those of something else
  if (end !== bytes.length) throw new Error(`the rows have ${end} of ${bytes.length} bytes of JSON`);
  return new JsonRows(ordered, starts, offsets, names);
}
