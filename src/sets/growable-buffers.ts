/**
 * Numbers and bytes that grow while a store is built. They stand in resizable buffers: such a buffer reserves
 * addresses, takes memory only where it is written, grows in place, and gives its memory back to the system when it
 * shrinks. Arrays that grow by being copied would leave holes of every size between those that stay for good.
 */
import { SnapshotError } from '../base/errors.ts';

/** A whole number of numbers of any size, within what 32-bit offsets reach and what a resizable buffer can hold. */
const mostBytes = 2 ** 32 - 8;

/** So much is moved at a time. */
const movedBytes = 2 ** 24;

/** A buffer with room for `bytes`: the same one grown, or a larger one with the same content. */
function withRoom(buffer: ArrayBuffer, bytes: number): ArrayBuffer {
  if (bytes > mostBytes) throw new SnapshotError(['the entries of one type take more than 4 GiB']);
  const size = Math.min(Math.max(bytes, buffer.byteLength * 2, 4096), mostBytes);
  if (size <= buffer.maxByteLength) {
    buffer.resize(size);
    return buffer;
  }
  // addresses cost nothing: with so many of them little is ever copied
  const larger = new ArrayBuffer(size, { maxByteLength: Math.min(size * 16, mostBytes) });
  new Uint8Array(larger).set(new Uint8Array(buffer));
  return larger;
}

// resizable too: code that meets one kind of buffer only is compiled for it
const nothing = new ArrayBuffer(0, { maxByteLength: 0 });

/** Whole numbers from 0 to 2^32 - 1. */
export class GrowableNumbers {
  #values = new Uint32Array(nothing);
  #capacity = 0;
  length = 0;

  push(value: number): void {
    if (this.length === this.#capacity) {
      this.#values = new Uint32Array(withRoom(this.#values.buffer, this.length * 4 + 4));
      this.#capacity = this.#values.length;
    }
    this.#values[this.length++] = value;
  }

  at(i: number): number {
    return this.#values[i];
  }

  /** Puts another number in the place of one that has been pushed. */
  set(i: number, value: number): void {
    this.#values[i] = value;
  }

  /** What has been pushed, as a copy of its own size. */
  toArray(): Uint32Array<ArrayBuffer> {
    return this.#values.slice(0, this.length);
  }

  /** The same, and gives the memory back: nothing is left. */
  take(): Uint32Array<ArrayBuffer> {
    const values = this.toArray();
    this.#values.buffer.resize(0);
    this.#capacity = 0;
    this.length = 0;
    return values;
  }
}

/** Numbers of any kind. */
export class GrowableDoubles {
  #values = new Float64Array(nothing);
  #capacity = 0;
  length = 0;

  push(value: number): void {
    if (this.length === this.#capacity) {
      this.#values = new Float64Array(withRoom(this.#values.buffer, this.length * 8 + 8));
      this.#capacity = this.#values.length;
    }
    this.#values[this.length++] = value;
  }

  at(i: number): number {
    return this.#values[i];
  }

  /** What has been pushed, as a copy of its own size. */
  toArray(): Float64Array<ArrayBuffer> {
    return this.#values.slice(0, this.length);
  }

  /** The same, and gives the memory back: nothing is left. */
  take(): Float64Array<ArrayBuffer> {
    const values = this.toArray();
    this.#values.buffer.resize(0);
    this.#capacity = 0;
    this.length = 0;
    return values;
  }
}

export class GrowableBytes {
  #bytes = Buffer.from(nothing);
  length = 0;

  /**
   * Appends `text` as UTF-8 and gives the number of bytes. Throws a SnapshotError past 4 GiB, where 32-bit offsets end.
   */
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
   * What has been pushed, in memory of its own size, and nothing is left: single bytes of a buffer that can be resized
   * are read slowly, and so are views of it made. It is moved piece by piece from the end, as the buffer shrinks, so
   * that it never takes twice its size.
   */
  take(): Buffer {
    const buffer = this.#bytes.buffer as ArrayBuffer;
    const moved = Buffer.allocUnsafeSlow(this.length);
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
    if (needed > this.#bytes.length) this.#bytes = Buffer.from(withRoom(this.#bytes.buffer as ArrayBuffer, needed));
  }
}
