/** The number of slots. A prime, so that hashes spread evenly. */
const slots = 32_749;

/**
 * Fixed-size, lossy set of hashes. It holds no text, so a text that is added once leaves no garbage. A new text
 * overwrites an older one in the same slot. A collision reports a text as seen that was not: a reply is then cached
 * one request early.
 */
export class AdmissionFilter {
  readonly #hashes = new Uint32Array(slots);

  /** Adds a text. Returns whether it was there before. */
  seenBefore(text: string): boolean {
    const hash = hashOf(text);
    const slot = hash % slots;
    const isKnown = this.#hashes[slot] === hash;
    this.#hashes[slot] = hash;
    return isKnown;
  }
}

/** FNV-1a over UTF-16 units, in 32 bits; never 0, which marks an empty slot. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0 || 1;
}
