/** Counters of requests in shared memory, which several threads increment. */
import { threadId } from 'node:worker_threads';

/** Counters per bucket. */
const bucketSlots = 16;

/** Lock attempts before a thread sleeps. An increment holds a lock for less than a microsecond. */
const spins = 1000;
/** Length and number of sleeps, in milliseconds, after which a thread takes the lock from another that holds it still. */
const sleepMilliseconds = 1;
const maxSleeps = 100;

/** What a lock holds while this thread has it; 0 while it is free. The id of a thread is not used again. */
const ownMark = threadId + 1;

/** The bits of a key's digest, as unsigned 32-bit integers. Equal digests count as equal keys. */
export interface KeyDigest {
  readonly bucket: number;
  readonly high: number;
  readonly low: number;
}

export interface Counter {
  readonly hits: number;
  /** When its window ends, in milliseconds since 1970. */
  readonly resets: number;
}

/** A hash table of counters. Each bucket has a lock. A counter is free when its window has ended. */
export class CounterTable {
  readonly #locks: Int32Array;
  readonly #high: Uint32Array;
  readonly #low: Uint32Array;
  readonly #hits: Uint32Array;
  readonly #resets: Float64Array;

  /** Returns the memory of a table in bytes. */
  static bytes(buckets: number): number {
    return buckets * (8 + bucketSlots * (8 + 4 * 3));
  }

  /** `offset` is a multiple of 8. The memory must be zeroed before its first use. */
  constructor(memory: SharedArrayBuffer, offset: number, buckets: number) {
    const slots = buckets * bucketSlots;
    this.#resets = new Float64Array(memory, offset, slots);
    const words = (index: number) => offset + slots * (8 + 4 * index);
    this.#high = new Uint32Array(memory, words(0), slots);
    this.#low = new Uint32Array(memory, words(1), slots);
    this.#hits = new Uint32Array(memory, words(2), slots);
    this.#locks = new Int32Array(memory, words(3), buckets);
  }

  /**
   * Counts a request and returns its counter. A counter whose window has ended begins anew with `fresh`, which is
   * called while the bucket is locked. Returns null if all counters of the bucket belong to other keys.
   */
  increment({ bucket, high, low }: KeyDigest, now: number, fresh: () => Counter): Counter | null {
    const number = bucket % this.#locks.length;
    return locked(this.#locks, number, () => {
      const slot = this.#slotOf(number * bucketSlots, high, low, now);
      if (slot < 0) return null;
      if (this.#resets[slot] <= now) {
        const { hits, resets } = fresh();
        this.#high[slot] = high;
        this.#low[slot] = low;
        this.#hits[slot] = hits;
        this.#resets[slot] = resets;
      }
      this.#hits[slot]++;
      return { hits: this.#hits[slot], resets: this.#resets[slot] };
    });
  }

  /** Returns the number of counters whose window has not ended. */
  activeCounters(now: number): number {
    return this.#resets.reduce((count, resets) => count + Number(resets > now), 0);
  }

  /** Returns the active counter of a key, or else a free one, or -1. */
  #slotOf(first: number, high: number, low: number, now: number): number {
    let free = -1;
    for (let slot = first; slot < first + bucketSlots; slot++) {
      if (this.#resets[slot] <= now) free = free < 0 ? slot : free;
      else if (this.#high[slot] === high && this.#low[slot] === low) return slot;
    }
    return free;
  }
}

/** Calls `run` while no other thread holds the lock. Takes it from a thread that died, or stopped, while it held it. */
export function locked<T>(locks: Int32Array, index: number, run: () => T): T {
  let holder = 0;
  let sleeps = 0;
  for (let attempt = 0; ; attempt++) {
    const found = Atomics.compareExchange(locks, index, 0, ownMark);
    if (found === 0) break;
    if (found !== holder) sleeps = 0;
    holder = found;
    if (attempt < spins) continue;
    Atomics.wait(locks, index, found, sleepMilliseconds);
    if (++sleeps > maxSleeps && Atomics.compareExchange(locks, index, found, ownMark) === found) break;
  }
  try {
    return run();
  } finally {
    // unless another thread has taken it meanwhile
    Atomics.compareExchange(locks, index, ownMark, 0);
  }
}
