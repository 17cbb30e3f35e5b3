import { hash, randomBytes } from 'node:crypto';
import type { ClientRateLimitInfo, Store } from 'express-rate-limit';
import { type Counter, type CounterMemory, Counters, CounterTable, type KeyDigest, lifetime } from './counters.ts';

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
export interface RateLimitMemory extends CounterMemory {
  readonly buckets: number;
  readonly shared: number;
  /** Random, so that clients cannot predict which addresses share a counter. */
  readonly seed: string;
}

export function createRateLimitMemory(buckets = defaultBuckets, shared = defaultShared): RateLimitMemory {
  const bytes = (ownCounters + shared) * 8 + 2 * CounterTable.bytes(buckets);
  const seed = randomBytes(16).toString('base64');
  return { memory: new SharedArrayBuffer(bytes), since: Date.now(), buckets, shared, seed };
}

/** Indices of the counters that belong to no caller: all requests in shared counters, and those of this window. */
const allShared = 0;
const sharedNow = 1;
const ownCounters = 2;

/**
 * Counts the requests of each caller in fixed windows, over all threads. The number of counters is bounded: when those
 * for an address are in use, it shares one of a few counters, chosen by a hash. No counter is dropped within its
 * window, so a flood of addresses cannot reset the count of another.
 */
export class RateLimitStore implements Store {
  readonly #milliseconds: number;
  readonly #onFull: () => void;
  readonly #memory: RateLimitMemory;
  readonly #addresses: CounterTable;
  readonly #names: CounterTable;
  readonly #own: Counters;
  readonly #shared: Counters;

  /** Calls `onFull` at most once per window, in one thread, in which an address has to share a counter. */
  constructor(seconds: number, onFull: () => void, memory: RateLimitMemory) {
    const { buckets, shared } = memory;
    this.#milliseconds = seconds * 1000;
    this.#onFull = onFull;
    this.#memory = memory;
    this.#own = new Counters(memory, 0, ownCounters);
    this.#shared = new Counters(memory, ownCounters * 8, shared);
    const tables = (ownCounters + shared) * 8;
    this.#addresses = new CounterTable(memory, tables, buckets);
    this.#names = new CounterTable(memory, tables + CounterTable.bytes(buckets), buckets);
  }

  get figures(): RateLimitFigures {
    const now = Date.now();
    return { addresses: this.#addresses.countActive(now), shared: this.#own.active(allShared, now)?.hits ?? 0 };
  }

  increment(key: string): ClientRateLimitInfo {
    const now = Date.now();
    const { shared, ...digest } = this.#digestOf(key);
    const isAddress = key.startsWith(addressKey);
    const table = isAddress ? this.#addresses : this.#names;
    // an address keeps the count of the counter that it shared
    const fresh = () => (isAddress && this.#shared.active(shared, now)) || this.#fresh(now);
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

  #incrementShared(index: number, now: number): Counter {
    this.#own.increment(allShared, now, () => ({ hits: 0, resets: this.#memory.since + lifetime }));
    if (this.#own.increment(sharedNow, now, () => this.#fresh(now)).hits === 1) this.#onFull();
    return this.#shared.increment(index, now, () => this.#fresh(now));
  }

  #digestOf(key: string): KeyDigest & { readonly shared: number } {
    const digest = hash('sha256', this.#memory.seed + key, 'buffer');
    return {
      bucket: digest.readUInt32LE(0),
      key: digest.readUInt32LE(4),
      shared: digest.readUInt32LE(8) % this.#memory.shared,
    };
  }
}
