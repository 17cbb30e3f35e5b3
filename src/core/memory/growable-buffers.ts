/**
 * Numbers and bytes that grow while a store is built, in resizable buffers. Such a buffer reserves addresses, uses
 * memory only where it is written, grows in place, and returns its memory to the system when it shrinks. Arrays that
 * grow by being copied would fragment the memory between the arrays that stay. Beyond 4 GiB, all throw a SnapshotError
 * that names their place.
 */
import { SnapshotError } from '../errors.ts';
import { type Allocator, heapAllocator } from './allocator.ts';

/** A multiple of 8 within the reach of 32-bit offsets and of resizable buffers. */
const maximumBytes = 2 ** 32 - 8;

/** Bytes are moved in pieces of this size. */
const movedBytes = 2 ** 24;

/**
 * Up to this size, buffers are plain: making a resizable one takes 6 µs, as much as a batch of one entry spends on all
 * of its values.
 */
const smallBytes = 4096;

/** Returns a buffer of at least `bytes`: the same one grown, or a larger one with the same content. */
function grown(buffer: ArrayBuffer, bytes: number, place: string): ArrayBuffer {
  if (bytes > maximumBytes) {
    throw new SnapshotError([`${place}: takes at least ${bytes} bytes while loading, the limit is ${maximumBytes}`]);
  }
  if (bytes <= smallBytes)
    return copied(buffer, new ArrayBuffer(Math.min(Math.max(bytes, buffer.byteLength * 2, 64), smallBytes)));
  const size = Math.min(Math.max(bytes, buffer.byteLength * 2), maximumBytes);
  if (size <= buffer.maxByteLength) {
    buffer.resize(size);
    return buffer;
  }
  // reserves 16 times the size, so that a growing buffer is seldom copied: addresses without content take no memory
  return copied(buffer, new ArrayBuffer(size, { maxByteLength: Math.min(size * 16, maximumBytes) }));
}

function copied(buffer: ArrayBuffer, larger: ArrayBuffer): ArrayBuffer {
  new Uint8Array(larger).set(new Uint8Array(buffer));
  return larger;
}

/** Returns the memory of a large buffer at once. */
function release(buffer: ArrayBuffer): void {
  if (buffer.resizable) buffer.resize(0);
}

const nothing = new ArrayBuffer(0);

/** The place in the error for numbers that belong to no single type. */
const anyPlace = 'the snapshot';

/** Whole numbers from 0 to 2^32 - 1. */
export class GrowableNumbers {
  readonly #place: string;
  #values = new Uint32Array(nothing);
  #capacity = 0;
  length = 0;

  /** `place` names the content of the numbers in the error. */
  constructor(place = anyPlace) {
    this.#place = place;
  }

  push(value: number): void {
    if (this.length === this.#capacity) {
      this.#values = new Uint32Array(grown(this.#values.buffer, this.length * 4 + 4, this.#place));
      this.#capacity = this.#values.length;
    }
    this.#values[this.length++] = value;
  }

  at(i: number): number {
    return this.#values[i];
  }

  /** Replaces a number that has been pushed. */
  set(i: number, value: number): void {
    this.#values[i] = value;
  }

  /** Returns a copy of all numbers. */
  toArray(): Uint32Array<ArrayBuffer> {
    return this.#values.slice(0, this.length);
  }

  /** Returns a copy of all numbers and frees the memory. Nothing is left. */
  take(allocator: Allocator = heapAllocator): Uint32Array {
    const values = allocator.uint32(this.length);
    values.set(this.#values.subarray(0, this.length));
    release(this.#values.buffer);
    this.#values = new Uint32Array(nothing);
    this.#capacity = 0;
    this.length = 0;
    return values;
  }
}

/** Numbers of any kind. */
export class GrowableDoubles {
  readonly #place: string;
  #values = new Float64Array(nothing);
  #capacity = 0;
  length = 0;

  constructor(place = anyPlace) {
    this.#place = place;
  }

  push(value: number): void {
    if (this.length === this.#capacity) {
      this.#values = new Float64Array(grown(this.#values.buffer, this.length * 8 + 8, this.#place));
      this.#capacity = this.#values.length;
    }
    this.#values[this.length++] = value;
  }

  at(i: number): number {
    return this.#values[i];
  }

  /** Returns a copy of all numbers. */
  toArray(): Float64Array<ArrayBuffer> {
    return this.#values.slice(0, this.length);
  }

  /** Returns a copy of all numbers and frees the memory. Nothing is left. */
  take(): Float64Array<ArrayBuffer> {
    const values = this.toArray();
    release(this.#values.buffer);
    this.#values = new Float64Array(nothing);
    this.#capacity = 0;
    this.length = 0;
    return values;
  }
}

export class GrowableBytes {
  readonly #place: string;
  #bytes = Buffer.from(nothing);
  length = 0;

  constructor(place = anyPlace) {
    this.#place = place;
  }

  /** Appends `text` as UTF-8 and returns the number of bytes. */
  push(text: string): number {
    this.#reserve(text.length * 3);
    const written = this.#bytes.write(text, this.length);
    this.length += written;
    return written;
  }

  /** Appends bytes `start` up to `end` of `source`. */
  copy(source: Buffer, start: number, end: number): void {
    this.#reserve(end - start);
    source.copy(this.#bytes, this.length, start, end);
    this.length += end - start;
  }

  /**
   * Moves all bytes to a buffer of fixed size, as reading single bytes of a resizable buffer and making views of it are
   * slow. Nothing is left. Pieces are moved from the end while the old buffer shrinks, so that both together never take
   * twice the size.
   */
  take(allocator: Allocator = heapAllocator): Buffer {
    const buffer = this.#bytes.buffer as ArrayBuffer;
    const moved = allocator.bytes(this.length);
    if (!buffer.resizable) {
      moved.set(this.#bytes.subarray(0, this.length));
      this.#bytes = Buffer.from(nothing);
      this.length = 0;
      return moved;
    }
    buffer.resize(this.length);
    while (buffer.byteLength > 0) {
      const start = Math.max(buffer.byteLength - movedBytes, 0);
      moved.set(new Uint8Array(buffer, start), start);
      buffer.resize(start);
    }
    this.length = 0;
    return moved;
  }

  #reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.#bytes.length) return;
    this.#bytes = Buffer.from(grown(this.#bytes.buffer as ArrayBuffer, needed, this.#place));
  }
}
