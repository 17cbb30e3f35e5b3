/** Time for requests in progress to end with the store that they began with, in milliseconds. */
const delay = 1000;

/**
 * Makes V8 collect a replaced store of this size. V8 does not count shared memory and would keep every replaced store,
 * so this allocates as many bytes of plain memory. They are never touched, and take no resident memory.
 */
export function countReplaced(bytes: number): void {
  setTimeout(() => new ArrayBuffer(bytes), delay).unref();
}

/** The stores of all contents of a process. Makes V8 collect replaced stores. */
export class ServedStores {
  /** The buffers of each store without changes, or of the changes of a preview, by the name of its content. */
  readonly #buffers = new Map<string, readonly ArrayBufferLike[]>();

  /** The names of the contents that could be loaded. */
  get names(): Set<string> {
    return new Set(this.#buffers.keys());
  }

  /** `buffers` are empty for a name without content. */
  set(name: string, buffers: readonly ArrayBufferLike[]): void {
    const earlier = this.#buffers.get(name);
    if (buffers.length > 0) this.#buffers.set(name, buffers);
    else this.#buffers.delete(name);
    if (earlier && earlier[0] !== buffers[0])
      countReplaced(earlier.reduce((sum, { byteLength }) => sum + byteLength, 0));
  }
}
