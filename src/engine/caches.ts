import { LRUCache } from 'lru-cache';
import type { Reply } from '../reply/reply.ts';
import { BitSet } from '../sets/bit-set.ts';
import type { RowSet } from '../sets/row-set.ts';

/** What an entry of a cache takes besides its key and its body, about. */
const overheadBytes = 1024;

/** Headers that a reply shares with no other, and their lists that are put in order when it is sent. */
const ownHeaderBytes = 2048;

/** Bytes of a reply with what is attached when it is sent. Replies share their headers if nothing is omitted. */
function replyBytes({ body, headers }: Reply): number {
  const omitted = headers['X-Lectern-Omitted'];
  return body.length + (omitted === undefined ? 0 : ownHeaderBytes + omitted.length);
}

/** Rows for which a query holds, and how many they are. */
export interface FilterResult {
  readonly rows: RowSet;
  readonly count: number;
  /** What it took to find them, as base/cost-budget.ts counts; nothing where they were ready. */
  readonly cost?: number;
}

/**
 * How many URLs, and how many filters, are remembered to have been asked for, at most. A prime, as hashes are spread.
 */
const remembered = 32_749;

/** How a cache has served. */
export interface CacheStatistics {
  readonly hits: number;
  readonly misses: number;
  readonly bytes: number;
}

/**
 * Replies by raw URL and by bound query, and row sets by filter; each bounded in bytes, a third of the whole. Every
 * key of a reply begins with the id of the caller's permission set: what one may read is never given to another.
 *
 * What is asked for once is not kept: it would cost more to keep, and to throw out again, than most replies cost. So a
 * reply is made twice, and from then on it is there.
 */
export class Caches {
  readonly #isOn: boolean;
  readonly #byUrl: ByteBoundedCache<Reply>;
  readonly #byQuery: ByteBoundedCache<Reply>;
  readonly #rows: ByteBoundedCache<FilterResult>;
  readonly #askedUrls = new Lately();
  readonly #askedFilters = new Lately();

  /** `bytes` bounds all together; 0 caches nothing. */
  constructor(bytes: number) {
    const maxSize = Math.floor(bytes / 3);
    this.#isOn = maxSize > 0;
    this.#byUrl = new ByteBoundedCache(maxSize, replyBytes);
    this.#byQuery = new ByteBoundedCache(maxSize, replyBytes);
    this.#rows = new ByteBoundedCache(
      maxSize,
      ({ rows }) => (rows instanceof BitSet ? rows.words : rows).buffer.byteLength,
    );
  }

  replyByUrl(address: string): Reply | undefined {
    return this.#byUrl.get(address);
  }

  /** Whether a reply is to be kept: what is at this address has been asked for before. */
  isAskedAgain(address: string): boolean {
    return this.#isOn && this.#askedUrls.add(address);
  }

  keepByUrl(address: string, reply: Reply): void {
    this.#byUrl.set(address, reply);
  }

  /** The reply that stands under a key, or the one that `make` gives, kept from then on. */
  reply(key: string, make: () => Reply): Reply {
    let reply = this.#byQuery.get(key);
    if (!reply) {
      reply = make();
      this.#byQuery.set(key, reply);
    }
    return reply;
  }

  /** The rows that stand under a key, or those that `make` gives. They must not be changed. */
  rows(key: () => string, make: () => FilterResult): FilterResult {
    if (!this.#isOn) return make();
    const text = key();
    const known = this.#rows.get(text);
    if (known) return known;
    const rows = make();
    if (this.#askedFilters.add(text)) this.#rows.set(text, rows);
    return rows;
  }

  get statistics(): Record<'url' | 'query' | 'rows', CacheStatistics> {
    return { url: this.#byUrl.statistics, query: this.#byQuery.statistics, rows: this.#rows.statistics };
  }
}

/** A cache bounded in bytes that counts how it serves; of no bytes, it keeps nothing. */
export class ByteBoundedCache<T extends object> {
  readonly #cache: LRUCache<string, T> | null;
  #hits = 0;
  #misses = 0;

  /** What would take more than `maxEntrySize` bytes is not kept. */
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

/**
 * A set that forgets, of a fixed size: of the texts whose hashes fall into one place, it knows the last. It holds no
 * text, so that one which is asked for once leaves no garbage; a text whose hash is that of another is taken for known,
 * and what then happens is only that a reply is kept too early.
 */
class Lately {
  readonly #hashes = new Uint32Array(remembered);

  /** Adds a text, and says whether it was there. */
  add(text: string): boolean {
    const hash = hashOf(text);
    const place = hash % remembered;
    const isKnown = this.#hashes[place] === hash;
    this.#hashes[place] = hash;
    return isKnown;
  }
}

/** FNV-1a over UTF-16 units, in 32 bits; never 0, which stands for nothing. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0 || 1;
}
