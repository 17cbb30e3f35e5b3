import { LRUCache } from 'lru-cache';

/** Approximate bytes of a cache entry besides its key and its value. */
const overheadBytes = 1024;

/** Use and size of a cache. */
export interface CacheStatistics {
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
}

/** An LRU cache bounded in bytes. With `maxSize` 0 it keeps nothing. */
export class ByteBoundedCache<T extends object> {
  readonly #sizeOf: (value: T, key: string) => number;
  readonly #maxEntrySize: number;
  #cache: LRUCache<string, T> | null;
  #hits = 0;
  #misses = 0;

  /** Values of more than `maxEntrySize` bytes are not kept. */
  constructor(maxSize: number, bytesOf: (value: T) => number, maxEntrySize = Number.MAX_SAFE_INTEGER) {
    this.#sizeOf = (value, key) => bytesOf(value) + key.length * 2 + overheadBytes;
    this.#maxEntrySize = maxEntrySize;
    this.#cache = this.#create(maxSize);
  }

  /** Keeps at most this many bytes from now on. Evicts what was used least recently. */
  resize(maxSize: number): void {
    const earlier = this.#cache;
    this.#cache = this.#create(maxSize);
    if (!earlier || !this.#cache) return;
    for (const [key, value] of earlier.rentries() as Iterable<[string, T]>) this.#cache.set(key, value);
  }

  #create(maxSize: number): LRUCache<string, T> | null {
    const maxEntrySize = Math.min(maxSize, this.#maxEntrySize);
    return maxSize > 0 ? new LRUCache<string, T>({ maxSize, maxEntrySize, sizeCalculation: this.#sizeOf }) : null;
  }

  /** Whether a further value of average size would evict another. */
  get isFull(): boolean {
    if (!this.#cache) return false;
    const { size, calculatedSize, maxSize } = this.#cache;
    return size > 0 && calculatedSize + calculatedSize / size > maxSize;
  }

  get(key: string): T | undefined {
    const value = this.#cache?.get(key);
    if (value) this.#hits++;
    else this.#misses++;
    return value;
  }

  set(key: string, value: T): void {
    this.#cache?.set(key, value);
  }

  clear(): void {
    this.#cache?.clear();
  }

  get statistics(): CacheStatistics {
    return { hits: this.#hits, misses: this.#misses, bytes: this.#cache?.calculatedSize ?? 0 };
  }
}
