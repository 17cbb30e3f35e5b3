import { type Allocator, heapAllocator } from '../core/memory/allocator.ts';

/** Where the fragments of a row are, from its first byte. 16 bits are enough unless a row of the collection has 64 KiB. */
export type FragmentOffsets = Uint16Array | Uint32Array;

/** Bytes of a row from which its collection needs offsets of 32 bits. */
const longRowBytes = 2 ** 16;

/** The start of a row alone. */
const atZero = new Uint32Array(1);

/**
 * The rows of a collection as serialised JSON, ready to be copied into a reply. A row is one fragment for each
 * attribute, in order: `"id":1` then `,"documentId":"x"` then `,"name":"…"`. Adjacent attributes take one copy.
 */
export class JsonRows {
  readonly bytes: Uint8Array;
  /** For each row, where it begins. */
  readonly starts: Uint32Array;
  /** For each row, where its fragments start and where the last one ends: `names.length + 1` numbers, the first one 0. */
  readonly offsets: FragmentOffsets;
  /** The attributes, in the order of the fragments. */
  readonly names: readonly string[];

  constructor(bytes: Uint8Array, starts: Uint32Array, offsets: FragmentOffsets, names: readonly string[]) {
    // not a Buffer: on Node 20, where query/reply/json-writer.ts uses `subarray` and `set`, these take 0.8 of the time
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    this.starts = starts;
    this.offsets = offsets;
    this.names = names;
  }

  /**
   * Returns rows whose fragments are at these places in the bytes: for each row, where they start and where the last one ends.
   * `order` are the positions of the rows in `places`; default: their own.
   */
  static at(
    bytes: Uint8Array,
    places: Uint32Array,
    names: readonly string[],
    allocator: Allocator = heapAllocator,
    order: Uint32Array | null = null,
  ): JsonRows {
    const stride = names.length + 1;
    const rowCount = Math.floor(places.length / stride);
    const starts = allocator.uint32(rowCount);
    let isLong = false;
    for (let first = 0; first < places.length; first += stride) {
      isLong ||= places[first + stride - 1] - places[first] >= longRowBytes;
    }
    const offsets = isLong ? allocator.uint32(places.length) : allocator.uint16(places.length);
    for (let row = 0, next = 0; row < rowCount; row++) {
      const first = (order ? order[row] : row) * stride;
      starts[row] = places[first];
      for (let i = 0; i < stride; i++) offsets[next++] = places[first + i] - places[first];
    }
    return new JsonRows(bytes, starts, offsets, names);
  }

  /** Copies rows one after the other. Each is the only one of its object. */
  static joined(rows: readonly JsonRows[], allocator: Allocator = heapAllocator): JsonRows {
    const names = rows[0]?.names ?? [];
    const stride = names.length + 1;
    const bytes = allocator.bytes(rows.reduce((sum, row) => sum + row.bytesOf(0), 0));
    const starts = allocator.uint32(rows.length);
    const isLong = rows.some(({ offsets }) => offsets instanceof Uint32Array);
    const offsets = isLong ? allocator.uint32(rows.length * stride) : allocator.uint16(rows.length * stride);
    let end = 0;
    for (const [i, row] of rows.entries()) {
      bytes.set(row.bytes.subarray(...row.bounds(0)), end);
      starts[i] = end;
      offsets.set(row.offsets, i * stride);
      end += row.bytesOf(0);
    }
    return new JsonRows(bytes, starts, offsets, names);
  }

  /** Returns an object for each row. They share the memory. */
  split(): JsonRows[] {
    const stride = this.names.length + 1;
    return Array.from(this.starts, (_, row) => {
      const offsets = this.offsets.subarray(row * stride, (row + 1) * stride);
      return new JsonRows(this.bytes, this.starts.subarray(row, row + 1), offsets, this.names);
    });
  }

  /** Where a row begins and ends in the bytes. */
  bounds(row: number): [start: number, end: number] {
    const start = this.starts[row];
    return [start, start + this.bytesOf(row)];
  }

  /** How many bytes a row has. */
  bytesOf(row: number): number {
    const { length } = this.names;
    return this.offsets[row * (length + 1) + length];
  }

  /** Copies a row to memory of its own. */
  copyOf(row: number): JsonRows {
    const stride = this.names.length + 1;
    const bytes = this.bytes.slice(...this.bounds(row));
    return new JsonRows(bytes, atZero, this.offsets.slice(row * stride, (row + 1) * stride), this.names);
  }

  /** The bytes of a fragment, with the name of the attribute. */
  fragment(row: number, position: number): Uint8Array {
    const at = row * (this.names.length + 1) + position;
    const start = this.starts[row];
    return this.bytes.subarray(start + this.offsets[at], start + this.offsets[at + 1]);
  }

  /** Decodes one value of a row, for the few places that need a value rather than its bytes. The attribute exists. */
  value(row: number, name: string): unknown {
    const position = this.names.indexOf(name);
    if (position < 0) throw new Error(`the rows have no attribute ${name}`);
    const fragment = new TextDecoder().decode(this.fragment(row, position));
    return JSON.parse(fragment.slice(fragment.indexOf(':') + 1));
  }
}
