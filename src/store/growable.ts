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

  /** What has been pushed, as a copy of its own size. */
  toArray(): Uint32Array {
    return this.#values.slice(0, this.length);
  }
}

export class GrowableBytes {
  #bytes = Buffer.allocUnsafeSlow(1024);
  length = 0;

  /** Appends `text` as UTF-8. Throws a RangeError past 4 GiB, where offsets of 32 bits end. */
  push(text: string): void {
    const needed = this.length + text.length * 3;
    if (needed > this.#bytes.length) {
      if (needed > 0xffffffff) throw new RangeError('the entries of one type take more than 4 GiB');
      const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(needed, this.#bytes.length * 2), 0xffffffff));
      this.#bytes.copy(larger, 0, 0, this.length);
      this.#bytes = larger;
    }
    this.length += this.#bytes.write(text, this.length);
  }

  toBuffer(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.length);
    this.#bytes.copy(bytes, 0, 0, this.length);
    return bytes;
  }
}
