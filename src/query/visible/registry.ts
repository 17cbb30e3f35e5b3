import { LRUCache } from 'lru-cache';

/** Something built from a store at run time. One request can afford to rebuild it. */
export interface Derived {
  /** Bytes that it holds now. */
  readonly bytes: number;
  /** Makes the owner forget it. */
  onEvict(): void;
}

/** Bytes of a structure besides its own: objects, and entries in the maps that lead to it. */
const overheadBytes = 1024;

/**
 * Owns everything that is derived from a store at run time, within one byte budget (the setting `derivedBytes`). Evicts
 * what was used least recently. Its state changes the speed of a query, never its plan, cost or reply.
 */
export class DerivedRegistry {
  #recent: LRUCache<Derived, number>;
  #hits = 0;
  #misses = 0;

  constructor(maximumBytes: number) {
    this.#recent = createCache(maximumBytes);
  }

  /** Keeps at most this many bytes from now on. Evicts what was used least recently; 0 evicts everything. */
  limit(maximumBytes: number): void {
    // lru-cache takes 0 for no limit
    if (maximumBytes === 0) return this.clear();
    const earlier = this.#recent;
    this.#recent = createCache(maximumBytes);
    for (const derived of earlier.rkeys() as Iterable<Derived>) this.#count(derived);
  }

  /** Evicts everything. */
  clear(): void {
    this.#recent.clear();
  }

  /** Adds a structure that was just built. A structure larger than the budget is evicted at once. */
  add(derived: Derived): void {
    this.#misses++;
    this.#count(derived);
  }

  /** Records that a structure is used. */
  use(derived: Derived): void {
    this.#hits++;
    this.#recent.get(derived);
  }

  /** Counts the bytes of a structure again after it has grown. Ignores evicted structures. */
  resize(derived: Derived): void {
    if (this.#recent.has(derived)) this.#count(derived);
  }

  get statistics(): { hits: number; misses: number; bytes: number } {
    return { hits: this.#hits, misses: this.#misses, bytes: this.#recent.calculatedSize };
  }

  #count(derived: Derived): void {
    this.#recent.set(derived, derived.bytes);
    // the cache rejects what is larger than its limit
    if (!this.#recent.has(derived)) derived.onEvict();
  }
}

function createCache(maxSize: number): LRUCache<Derived, number> {
  return new LRUCache({
    maxSize,
    sizeCalculation: (bytes) => bytes + overheadBytes,
    dispose: (_, derived, reason) => {
      // counting again replaces the entry
      if (reason !== 'set') derived.onEvict();
    },
  });
}
