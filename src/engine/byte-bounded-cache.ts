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
  readonly #cache: LRUCache<string, T> | null;
  #hits = 0;
  #misses = 0;

  /** Values of more than `maxEntrySize` bytes are not kept. */
  constructor(maxSize: number, bytesOf: (value: T) => number, maxEntrySize = maxSize) {
    const sizeCalculation = (value: T, key: string) => bytesOf(value) + key.length * 2 + overheadBytes;
    this.#cache = maxSize > 0 ? new LRUCache<string, T>({ maxSize, maxEntrySize, sizeCalculation }) : null;
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

  get statistics(): CacheStatistics {
    return { hits: this.#hits, misses: this.#misses, bytes: this.#cache?.calculatedSize ?? 0 };
  }
}
