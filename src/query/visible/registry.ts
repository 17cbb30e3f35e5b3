import { ByteBoundedCache, type CacheStatistics } from '../../core/byte-bounded-cache.ts';

/** Something built from a store at run time. One request can afford to rebuild it. */
export interface Derived {
  /** Bytes that it holds now. */
  readonly bytes: number;
  /** Makes the owner forget it. */
  onEvict(): void;
}

/**
 * Owns everything that is derived from a store at run time, within one byte budget (the setting `derivedBytes`). Evicts
 * what was used least recently. Its state changes the speed of a query, never its plan, cost or reply.
 */
export class DerivedRegistry {
  /** The bytes of each structure when it was last counted. */
  readonly #recent: ByteBoundedCache<number, Derived>;

  constructor(maximumBytes: number) {
    this.#recent = new ByteBoundedCache(maximumBytes, (bytes) => bytes, { onEvict: (derived) => derived.onEvict() });
  }

  /** Keeps at most this many bytes from now on. Evicts what was used least recently; 0 evicts everything. */
  limit(maximumBytes: number): void {
    this.#recent.resize(maximumBytes);
  }

  /** Evicts everything. */
  clear(): void {
    this.#recent.clear();
  }

  /** Adds a structure that was just built. A structure larger than the budget is evicted at once. */
  add(derived: Derived): void {
    // counts the miss
    this.#recent.get(derived);
    this.#recent.set(derived, derived.bytes);
  }

  /** Records that a structure is used. */
  use(derived: Derived): void {
    this.#recent.get(derived);
  }

  /** Counts the bytes of a structure again after it has grown. Ignores evicted structures. */
  resize(derived: Derived): void {
    if (this.#recent.has(derived)) this.#recent.set(derived, derived.bytes);
  }

  get statistics(): CacheStatistics {
    return this.#recent.statistics;
  }
}
