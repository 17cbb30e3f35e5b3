import { hash, randomBytes } from 'node:crypto';
import type { ClientRateLimitInfo, Store } from 'express-rate-limit';
import { type Counter, CounterTable, type KeyDigest, locked } from './counter-table.ts';

/** Number of buckets of 16 counters for addresses, and as many for known callers. */
const defaultBuckets = 8192;

/** Number of counters that all other addresses share. */
const defaultShared = 1024;

/** Key prefix of addresses. Other keys name callers with known credentials. */
export const addressKey = 'address ';

export interface RateLimitFigures {
  /** Addresses with a counter of their own. */
  readonly addresses: number;
  /** Requests that were counted in a shared counter. */
  readonly shared: number;
}

/** The counters of a process, which its threads share. A message can carry it. */
export interface RateLimitMemory {
  readonly memory: SharedArrayBuffer;
  readonly buckets: number;
  readonly shared: number;
  /** Random, so that clients cannot predict which addresses share a counter. */
  readonly seed: string;
}

export function createRateLimitMemory(buckets = defaultBuckets, shared = defaultShared): RateLimitMemory {
  const bytes = headerBytes + shared * 16 + 2 * CounterTable.bytes(buckets);
  return { memory: new SharedArrayBuffer(bytes), buckets, shared, seed: randomBytes(16).toString('base64') };
}

/** A lock for everything that is not in a table, the number of requests in shared counters, and when to warn again. */
const headerBytes = 24;

/**
 * Counts the requests of each caller in fixed windows, over all threads. The number of counters is bounded: when those
 * for an address are in use, it shares one of a few counters, chosen by a hash. No counter is dropped within its
 * window, so a flood of addresses cannot reset the count of another. It takes about three microseconds a request.
 */
export class RateLimitStore implements Store {
  readonly #milliseconds: number;
  readonly #onFull: () => void;
  readonly #seed: string;
  readonly #addresses: CounterTable;
  readonly #names: CounterTable;
  readonly #lock: Int32Array;
  /** The number of requests in shared counters, and the time until which `onFull` is not called again. */
  readonly #header: Float64Array;
  readonly #sharedHits: Float64Array;
  readonly #sharedResets: Float64Array;

  /** Calls `onFull` at most once per window, in one thread, in which an address has to share a counter. */
  constructor(seconds: number, onFull: () => void, { memory, buckets, shared, seed }: RateLimitMemory) {
    this.#milliseconds = seconds * 1000;
    this.#onFull = onFull;
    this.#seed = seed;
    this.#lock = new Int32Array(memory, 0, 1);
    this.#header = new Float64Array(memory, 8, 2);
    this.#sharedHits = new Float64Array(memory, headerBytes, shared);
    this.#sharedResets = new Float64Array(memory, headerBytes + shared * 8, shared);
    const tables = headerBytes + shared * 16;
    this.#addresses = new CounterTable(memory, tables, buckets);
    this.#names = new CounterTable(memory, tables + CounterTable.bytes(buckets), buckets);
  }

  get figures(): RateLimitFigures {
    return { addresses: this.#addresses.activeCounters(Date.now()), shared: this.#header[0] };
  }

  increment(key: string): ClientRateLimitInfo {
    const now = Date.now();
    const { shared, ...digest } = this.#digestOf(key);
    const table = key.startsWith(addressKey) ? this.#addresses : this.#names;
    // an address keeps the count of the counter that it shared
    const fresh = () => (table === this.#addresses ? this.#sharedCounter(shared, now) : this.#fresh(now));
    const { hits, resets } = table.increment(digest, now, fresh) ?? this.#incrementShared(shared, now);
    return { totalHits: hits, resetTime: new Date(resets) };
  }

  /** Never called: the limiter counts requests whatever their reply is. */
  decrement(): never {
    throw new Error('a counted request stays counted');
  }

  /** Never called: only its window resets a counter. */
  resetKey(): never {
    throw new Error('only the end of its window resets a counter');
  }

  #fresh(now: number): Counter {
    return { hits: 0, resets: now + this.#milliseconds };
  }

  #sharedCounter(index: number, now: number): Counter {
    return locked(this.#lock, 0, () => {
      const resets = this.#sharedResets[index];
      return resets > now ? { hits: this.#sharedHits[index], resets } : this.#fresh(now);
    });
  }

  #incrementShared(index: number, now: number): Counter {
    const [counter, isFirst] = locked(this.#lock, 0, () => {
      if (this.#sharedResets[index] <= now) {
        this.#sharedHits[index] = 0;
        this.#sharedResets[index] = now + this.#milliseconds;
      }
      this.#sharedHits[index]++;
      this.#header[0]++;
      const first = this.#header[1] <= now;
      if (first) this.#header[1] = now + this.#milliseconds;
      return [{ hits: this.#sharedHits[index], resets: this.#sharedResets[index] }, first];
    });
    if (isFirst) this.#onFull();
    return counter;
  }

  #digestOf(key: string): KeyDigest & { readonly shared: number } {
    const digest = hash('sha256', this.#seed + key, 'buffer');
    return {
      bucket: digest.readUInt32LE(0),
      high: digest.readUInt32LE(4),
      low: digest.readUInt32LE(8),
      shared: digest.readUInt32LE(12) % this.#sharedHits.length,
    };
  }
}
