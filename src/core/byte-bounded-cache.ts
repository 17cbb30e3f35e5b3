import { LRUCache } from 'lru-cache';

/** Approximate bytes of a cache entry besides its key and its value. */
const overheadBytes = 1024;

/** Use and size of a cache. */
export interface CacheStatistics {
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
}

interface CacheOptions<K> {
  /** Larger values are not kept. Default: the size of the cache. */
  readonly maxEntrySize?: number;
  /** Called for each key that the cache evicts, and for each that it is given and does not keep. */
  readonly onEvict?: (key: K) => void;
}

/** An LRU cache bounded in bytes. With `maxSize` 0 it keeps nothing. */
export class ByteBoundedCache<V extends object | number, K extends object | string = string> {
  readonly #sizeOf: (value: V, key: K) => number;
  readonly #options: CacheOptions<K>;
  #cache: LRUCache<K, V> | null;
  #hits = 0;
  #misses = 0;

  constructor(maxSize: number, bytesOf: (value: V) => number, options: CacheOptions<K> = {}) {
    this.#sizeOf = (value, key) => bytesOf(value) + (typeof key === 'string' ? key.length * 2 : 0) + overheadBytes;
    this.#options = options;
    this.#cache = this.#create(maxSize);
  }

  /** Keeps at most this many bytes from now on. Evicts what was used least recently. */
  resize(maxSize: number): void {
    const earlier = this.#cache;
    this.#cache = this.#create(maxSize);
    if (!earlier) return;
    if (!this.#cache) return earlier.clear();
    for (const [key, value] of earlier.rentries() as Iterable<[K, V]>) this.set(key, value);
  }

  #create(maxSize: number): LRUCache<K, V> | null {
    if (maxSize === 0) return null;
    const { maxEntrySize = maxSize, onEvict } = this.#options;
    return new LRUCache<K, V>({
      maxSize,
      maxEntrySize: Math.min(maxSize, maxEntrySize),
      sizeCalculation: this.#sizeOf,
      // a new value of the same key is no eviction
      dispose: onEvict && ((_, key, reason) => void (reason === 'set' || onEvict(key))),
    });
  }

  /** Whether a further value of average size would evict another. */
  get isFull(): boolean {
    if (!this.#cache) return false;
    const { size, calculatedSize, maxSize } = this.#cache;
    return size > 0 && calculatedSize + calculatedSize / size > maxSize;
  }

  get(key: K): V | undefined {
    const value = this.#cache?.get(key);
    if (value === undefined) this.#misses++;
    else this.#hits++;
    return value;
  }

  /** Returns whether a value is kept. Counts no use. */
  has(key: K): boolean {
    return this.#cache?.has(key) ?? false;
  }

  set(key: K, value: V): void {
    this.#cache?.set(key, value);
    const { onEvict } = this.#options;
    if (onEvict && !this.has(key)) onEvict(key);
  }

  clear(): void {
    this.#cache?.clear();
  }

  get statistics(): CacheStatistics {
    return { hits: this.#hits, misses: this.#misses, bytes: this.#cache?.calculatedSize ?? 0 };
  }
}
