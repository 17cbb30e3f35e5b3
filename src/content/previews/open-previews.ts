/** A preview that can drop its content. */
interface Releasable {
  release(): void;
}

/** Limits the bytes of open previews. Beyond the limit, the least recently used previews drop their content. */
export class OpenPreviews {
  readonly #maxBytes: number;
  /** Bytes by preview, in the order of their last use. */
  readonly #open = new Map<Releasable, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Records the use of a preview and its bytes. A preview larger than the limit stays open until another one is used.
   */
  use(preview: Releasable, bytes: number): void {
    this.remove(preview);
    this.#open.set(preview, bytes);
    this.#bytes += bytes;
    for (const earlier of this.#open.keys()) {
      if (this.#bytes <= this.#maxBytes || earlier === preview) return;
      earlier.release();
    }
  }

  /** A preview calls this after it has dropped its content. */
  remove(preview: Releasable): void {
    this.#bytes -= this.#open.get(preview) ?? 0;
    this.#open.delete(preview);
  }
}
