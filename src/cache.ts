import { LRUCache } from 'lru-cache';
import type { Reply } from './reply/reply.ts';
import { BitSet } from './sets/bit-set.ts';
import type { Rows } from './sets/rows.ts';

/** What an entry of a cache takes besides its key and its body, about. */
const overheadBytes = 256;

/** Rows for which a query holds, and how many they are. */
export interface Matching {
  readonly rows: Rows;
  readonly count: number;
}

/**
 * Replies by raw URL and by bound query, and row sets by filter; each bounded in bytes, a third of the whole. Every
 * key of a reply begins with the id of the caller's permission set: what one may read is never given to another.
 */
export class Caches {
  readonly #byUrl: LRUCache<string, Reply> | null;
  readonly #byQuery: LRUCache<string, Reply> | null;
  readonly #rows: LRUCache<string, Matching> | null;

  /** `bytes` bounds all together; 0 caches nothing. */
  constructor(bytes: number) {
    const maxSize = Math.floor(bytes / 3);
    const replies = () =>
      new LRUCache<string, Reply>({
        maxSize,
        sizeCalculation: (reply, key) => reply.body.length + key.length * 2 + overheadBytes,
      });
    const isOn = maxSize > 0;
    this.#byUrl = isOn ? replies() : null;
    this.#byQuery = isOn ? replies() : null;
    this.#rows = isOn
      ? new LRUCache<string, Matching>({
          maxSize,
          sizeCalculation: ({ rows }, key) => bytesOf(rows) + key.length * 2 + overheadBytes,
        })
      : null;
  }

  replyByUrl(permissions: string, url: string): Reply | undefined {
    return this.#byUrl?.get(`${permissions} ${url}`);
  }

  keepByUrl(permissions: string, url: string, reply: Reply): void {
    this.#byUrl?.set(`${permissions} ${url}`, reply);
  }

  /** The reply that stands under a key, or the one that `make` gives, kept from then on. */
  reply(key: () => string, make: () => Reply): Reply {
    return keep(this.#byQuery, key, make);
  }

  /** The rows that stand under a key, or those that `make` gives. They must not be changed. */
  rows(key: () => string, make: () => Matching): Matching {
    return keep(this.#rows, key, make);
  }
}

/** What stands under the key, or what `make` gives. The key is only made if there is a cache to look into. */
function keep<T extends object>(cache: LRUCache<string, T> | null, key: () => string, make: () => T): T {
  if (!cache) return make();
  const text = key();
  let value = cache.get(text);
  if (!value) {
    value = make();
    cache.set(text, value);
  }
  return value;
}

function bytesOf(rows: Rows): number {
  return rows instanceof BitSet ? rows.words.byteLength : rows.byteLength;
}
