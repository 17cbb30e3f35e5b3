import { randomInt } from 'node:crypto';
import type { ClientRateLimitInfo, Store } from 'express-rate-limit';

/** Maximum number of addresses with their own counter, of about 200 bytes each. */
const maxAddresses = 100_000;

/** Number of counters that all other addresses share. */
const sharedCounters = 1024;

/** Key prefix of addresses. Other keys name callers with known credentials, whose number the content bounds. */
export const addressKey = 'address ';

interface Counter {
  hits: number;
  /** When its window ends, in milliseconds since 1970. */
  resets: number;
}

export interface RequestCountFigures {
  /** Addresses with a counter of their own. */
  readonly addresses: number;
  /** Requests that were counted in a shared counter. */
  readonly shared: number;
}

/**
 * Counts the requests of each caller in fixed windows. The number of counters is bounded: when all are in use, further
 * addresses share a few counters, chosen by a hash of the address. No counter is dropped within its window, so a flood
 * of addresses cannot reset the count of another.
 */
export class RequestCounts implements Store {
  readonly localKeys = true;
  readonly #milliseconds: number;
  readonly #maxAddresses: number;
  readonly #onFull: () => void;
  /** Counters by key, approximately in the order in which their windows end. */
  readonly #addresses = new Map<string, Counter>();
  readonly #names = new Map<string, Counter>();
  readonly #shared: readonly Counter[];
  /** Random, so that clients cannot predict which addresses share a counter. */
  readonly #seed = randomInt(2 ** 32);
  #sharedRequests = 0;
  #silentUntil = 0;

  /** Calls `onFull` at most once per window in which an address has to share a counter. */
  constructor(seconds: number, onFull: () => void, limit = maxAddresses, shared = sharedCounters) {
    this.#milliseconds = seconds * 1000;
    this.#onFull = onFull;
    this.#maxAddresses = limit;
    this.#shared = Array.from({ length: shared }, () => ({ hits: 0, resets: 0 }));
  }

  get figures(): RequestCountFigures {
    return { addresses: this.#addresses.size, shared: this.#sharedRequests };
  }

  increment(key: string): ClientRateLimitInfo {
    const now = Date.now();
    const counter = this.#counterOf(key, now);
    counter.hits++;
    return { totalHits: counter.hits, resetTime: new Date(counter.resets) };
  }

  decrement(key: string): void {
    const counter = this.#mapOf(key).get(key);
    if (counter && counter.hits > 0) counter.hits--;
  }

  resetKey(key: string): void {
    this.#mapOf(key).delete(key);
  }

  #mapOf(key: string): Map<string, Counter> {
    return key.startsWith(addressKey) ? this.#addresses : this.#names;
  }

  #counterOf(key: string, now: number): Counter {
    const counters = this.#mapOf(key);
    const known = counters.get(key);
    if (known && known.resets > now) return known;
    if (known) counters.delete(key);
    dropExpired(counters, now);
    const fresh = { hits: 0, resets: now + this.#milliseconds };
    if (counters === this.#names) return this.#add(counters, key, fresh);
    const shared = this.#shared[this.#hash(key) % this.#shared.length];
    const isActive = shared.resets > now;
    // the address keeps the count of the counter that it shared
    if (counters.size < this.#maxAddresses) return this.#add(counters, key, isActive ? { ...shared } : fresh);
    if (!isActive) Object.assign(shared, fresh);
    this.#sharedRequests++;
    if (this.#silentUntil <= now) {
      this.#silentUntil = now + this.#milliseconds;
      this.#onFull();
    }
    return shared;
  }

  #add(counters: Map<string, Counter>, key: string, counter: Counter): Counter {
    counters.set(key, counter);
    return counter;
  }

  /** FNV-1a over UTF-16 units. */
  #hash(key: string): number {
    let hash = this.#seed;
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
    return (hash ^ (hash >>> 15)) >>> 0;
  }
}

/** Drops expired counters, up to the first that has not expired. */
function dropExpired(counters: Map<string, Counter>, now: number): void {
  for (const [key, { resets }] of counters) {
    if (resets > now) return;
    counters.delete(key);
  }
}
