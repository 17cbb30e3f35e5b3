/** Counters of requests in fixed windows, in shared memory. Threads change them with atomic operations, without locks. */
import { endianness } from 'node:os';

/** Counters of a bucket. */
const bucketSlots = 16;

/** A word holds the end of a window above and the hits below, so that one operation changes both. */
const hitBits = 26;
/** Further hits of a window are not counted. */
const maxHits = 2 ** hitBits - 1;
/** How long after the allocation of the memory a window can end, in milliseconds: eight years. */
export const lifetime = 2 ** (64 - hitBits) - 1;

/** The upper half of a word, of its two. Reading halves takes a tenth of the time of reading a BigInt. */
const upper = endianness() === 'LE' ? 1 : 0;
const upperUnit = 2 ** (32 - hitBits);

export interface Counter {
  readonly hits: number;
  /** The end of the window, in milliseconds since 1970. */
  readonly resets: number;
}

/** Memory for counters. A message can carry it. Must be zeroed before its first use. */
export interface CounterMemory {
  readonly memory: SharedArrayBuffer;
  /** When the memory was allocated, in milliseconds since 1970. */
  readonly since: number;
}

/** A list of counters. */
export class Counters {
  readonly #words: BigUint64Array;
  readonly #halves: Uint32Array;
  readonly #since: number;

  /** `offset` is a multiple of 8. Takes 8 bytes a counter. */
  constructor({ memory, since }: CounterMemory, offset: number, count: number) {
    this.#words = new BigUint64Array(memory, offset, count);
    this.#halves = new Uint32Array(memory, offset, 2 * count);
    this.#since = since;
  }

  /** Counts a request. A counter whose window has ended begins with `fresh`. */
  increment(index: number, now: number, fresh: () => Counter): Counter {
    for (;;) {
      const word = Atomics.load(this.#words, index);
      const current = this.#counterOf(word);
      const { hits, resets } = current.resets > now ? current : fresh();
      const next = this.#wordOf(hits + 1, resets);
      if (Atomics.compareExchange(this.#words, index, word, next) === word) return this.#counterOf(next);
    }
  }

  /** Returns a counter, or null if its window has ended. */
  active(index: number, now: number): Counter | null {
    return this.isActive(index, now) ? this.#counterOf(Atomics.load(this.#words, index)) : null;
  }

  /** Whether the window of a counter has not ended. */
  isActive(index: number, now: number): boolean {
    const high = this.#halves[2 * index + upper];
    const low = this.#halves[2 * index + 1 - upper];
    return high * upperUnit + (low >>> hitBits) > now - this.#since;
  }

  /** Returns the number of counters whose window has not ended. */
  countActive(now: number): number {
    let count = 0;
    for (let index = 0; index < this.#words.length; index++) if (this.isActive(index, now)) count++;
    return count;
  }

  #counterOf(word: bigint): Counter {
    return { hits: Number(word & BigInt(maxHits)), resets: this.#since + Number(word >> BigInt(hitBits)) };
  }

  #wordOf(hits: number, resets: number): bigint {
    return (BigInt(resets - this.#since) << BigInt(hitBits)) | BigInt(Math.min(hits, maxHits));
  }
}

/** The bits of a key's digest, as unsigned 32-bit integers. Equal digests count as equal keys. */
export interface KeyDigest {
  readonly bucket: number;
  readonly key: number;
}

/** A hash table of counters. A counter is free when its window has ended. */
export class CounterTable {
  readonly #keys: Uint32Array;
  readonly #counters: Counters;

  /** Returns the memory of a table in bytes. */
  static bytes(buckets: number): number {
    return buckets * bucketSlots * (8 + 4);
  }

  /** `offset` is a multiple of 8. */
  constructor(memory: CounterMemory, offset: number, buckets: number) {
    const slots = buckets * bucketSlots;
    this.#counters = new Counters(memory, offset, slots);
    this.#keys = new Uint32Array(memory.memory, offset + slots * 8, slots);
  }

  /**
   * Counts a request and returns its counter. Returns null if all counters of the bucket belong to other keys. If two
   * threads take the same free counter within nanoseconds, a request may be counted for the other key.
   */
  increment({ bucket, key }: KeyDigest, now: number, fresh: () => Counter): Counter | null {
    const first = (bucket * bucketSlots) % this.#keys.length;
    for (;;) {
      const slot = this.#find(first, key) ?? this.#take(first, key, now);
      if (slot === null) return null;
      const counter = this.#counters.increment(slot, now, fresh);
      if (Atomics.load(this.#keys, slot) === key) return counter;
    }
  }

  /** Returns the number of counters whose window has not ended. */
  countActive(now: number): number {
    return this.#counters.countActive(now);
  }

  #find(first: number, key: number): number | null {
    for (let slot = first; slot < first + bucketSlots; slot++) {
      if (Atomics.load(this.#keys, slot) === key) return slot;
    }
    return null;
  }

  /** Gives a free counter to a key. Returns null if there is none. */
  #take(first: number, key: number, now: number): number | null {
    for (let slot = first; slot < first + bucketSlots; slot++) {
      const earlier = Atomics.load(this.#keys, slot);
      // another thread may have given it to the same key
      if (earlier === key) return slot;
      if (this.#counters.isActive(slot, now)) continue;
      const found = Atomics.compareExchange(this.#keys, slot, earlier, key);
      if (found === earlier || found === key) return slot;
    }
    return null;
  }
}
