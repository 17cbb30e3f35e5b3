/** Time for requests in progress to end with the store that they began with, in milliseconds. */
const delay = 1000;

/**
 * Lets V8 know of a store of this size that is not served any more, so that this thread collects it. V8 does not count
 * shared memory and would keep every store that was replaced. As many bytes of plain memory count; they are never
 * touched, so they take no resident memory.
 */
export function countReplaced(bytes: number): void {
  setTimeout(() => new ArrayBuffer(bytes), delay).unref();
}

/** The stores that the contents of a process serve. Counts those that are replaced. */
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
