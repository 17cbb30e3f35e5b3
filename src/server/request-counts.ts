import { randomInt } from 'node:crypto';
import type { ClientRateLimitInfo, Store } from 'express-rate-limit';

/** How many addresses have a counter of their own, of some 200 bytes each. */
const mostAddresses = 100_000;

/** Counters that all further addresses share. */
const sharedCounters = 1024;

/** Starts the key of an address. Other keys name callers with known credentials, who are as many as the content has. */
export const addressKey = 'address ';

interface Counter {
  hits: number;
  /** When its window ends, in milliseconds since 1970. */
  resets: number;
}

export interface RequestCountFigures {
  /** Addresses with a counter of their own. */
  readonly addresses: number;
  /** Requests that were counted together with those of other addresses. */
  readonly shared: number;
}

/**
 * Counts the requests of each caller in windows of fixed length. The number of addresses is bounded: while so many are
 * within their window, further ones are counted in a few counters that they share, by a hash of the address. No counter
 * is ever dropped within its window, so that no flood of addresses resets the count of another.
 */
export class RequestCounts implements Store {
  readonly localKeys = true;
  readonly #milliseconds: number;
  readonly #mostAddresses: number;
  readonly #full: () => void;
  /** By key, nearly in the order in which their windows end. */
  readonly #addresses = new Map<string, Counter>();
  readonly #names = new Map<string, Counter>();
  readonly #shared: readonly Counter[];
  /** So that nobody knows which addresses share a counter. */
  readonly #seed = randomInt(2 ** 32);
  #sharedRequests = 0;
  #toldUntil = 0;

  /** `full` is called at most once in a window in which an address finds no counter of its own. */
  constructor(seconds: number, full: () => void, most = mostAddresses, shared = sharedCounters) {
    this.#milliseconds = seconds * 1000;
    this.#full = full;
    this.#mostAddresses = most;
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
    dropEnded(counters, now);
    const fresh = { hits: 0, resets: now + this.#milliseconds };
    if (counters === this.#names) return this.#add(counters, key, fresh);
    const shared = this.#shared[this.#hash(key) % this.#shared.length];
    const isUnderWay = shared.resets > now;
    // what it has asked for while it had no counter of its own goes on counting
    if (counters.size < this.#mostAddresses) return this.#add(counters, key, isUnderWay ? { ...shared } : fresh);
    if (!isUnderWay) Object.assign(shared, fresh);
    this.#sharedRequests++;
    if (this.#toldUntil <= now) {
      this.#toldUntil = now + this.#milliseconds;
      this.#full();
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

/** Drops counters whose window has ended, from the oldest to the first that has not. */
function dropEnded(counters: Map<string, Counter>, now: number): void {
  for (const [key, { resets }] of counters) {
    if (resets > now) return;
    counters.delete(key);
  }
}
