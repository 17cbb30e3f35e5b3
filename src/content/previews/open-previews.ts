/** A preview that can drop its content. */
interface Releasable {
  release(): void;
}

/** The previews that hold content, within a number of bytes. The ones that were used least recently drop theirs. */
export class OpenPreviews {
  readonly #maxBytes: number;
  /** Bytes by preview. The one that was used last comes last. */
  readonly #open = new Map<Releasable, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Records that a preview is used, whose content takes this many bytes. It keeps its content even if that is too large. */
  use(preview: Releasable, bytes: number): void {
    this.remove(preview);
    this.#open.set(preview, bytes);
    this.#bytes += bytes;
    for (const earlier of this.#open.keys()) {
      if (this.#bytes <= this.#maxBytes || earlier === preview) return;
      earlier.release();
    }
  }

  /** To be called by a preview that has dropped its content. */
  remove(preview: Releasable): void {
    this.#bytes -= this.#open.get(preview) ?? 0;
    this.#open.delete(preview);
  }
}
