import { LRUCache } from 'lru-cache';
import type { Reply } from './reply/reply.ts';
import type { BitSet } from './sets/bit-set.ts';

/** What an entry of a cache takes besides its key and its body, about. */
const overheadBytes = 256;

/**
 * Replies by raw URL and by bound query, and row sets by filter; each bounded in bytes, a third of the whole. Every
 * key of a reply begins with the id of the caller's permission set: what one may read is never given to another.
 */
export class Caches {
  readonly #byUrl: LRUCache<string, Reply> | null;
  readonly #byQuery: LRUCache<string, Reply> | null;
  readonly #rows: LRUCache<string, BitSet> | null;

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
      ? new LRUCache<string, BitSet>({
          maxSize,
          sizeCalculation: (rows, key) => rows.words.byteLength + key.length * 2 + overheadBytes,
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
  reply(permissions: string, key: string, make: () => Reply): Reply {
    const whole = `${permissions} ${key}`;
    let reply = this.#byQuery?.get(whole);
    if (!reply) {
      reply = make();
      this.#byQuery?.set(whole, reply);
    }
    return reply;
  }

  /** The row set that stands under a key, or the one that `make` gives. It must not be changed. */
  rows(key: string, make: () => BitSet): BitSet {
    let rows = this.#rows?.get(key);
    if (!rows) {
      rows = make();
      this.#rows?.set(key, rows);
    }
    return rows;
  }
}
