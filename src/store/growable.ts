/** Typed arrays and bytes that grow by doubling while a store is built. */
export class GrowableNumbers {
  #values = new Uint32Array(64);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  at(i: number): number {
    return this.#values[i];
  }

  /** What has been pushed, as a copy of its own size. */
  toArray(): Uint32Array {
    return this.#values.slice(0, this.length);
  }
}

export class GrowableBytes {
  #bytes = Buffer.allocUnsafeSlow(1024);
  length = 0;

  /** Appends `text` as UTF-8 and gives the number of bytes. Throws a RangeError past 4 GiB, where 32-bit offsets end. */
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

  toBuffer(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.length);
    this.#bytes.copy(bytes, 0, 0, this.length);
    return bytes;
  }

  #reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.#bytes.length) return;
    if (needed > 0xffffffff) throw new RangeError('the entries of one type take more than 4 GiB');
    const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(needed, this.#bytes.length * 2), 0xffffffff));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}
