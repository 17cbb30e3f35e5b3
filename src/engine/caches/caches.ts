import { ByteBoundedCache, type CacheStatistics } from '../../core/byte-bounded-cache.ts';
import { BitSet } from '../../core/sets/bit-set.ts';
import type { RowSet } from '../../core/sets/row-set.ts';
import type { Reply } from '../../query/reply/reply.ts';
import type { Tag } from '../../store/tags/tags.ts';
import { AdmissionFilter } from './admission-filter.ts';
import { SpentCosts } from './spent-costs.ts';

/** Bytes of headers that a reply does not share, with the lists that are made of them when it is sent. */
const ownHeaderBytes = 2048;

/** Bytes of a reply with what sending attaches to it. Replies that omit nothing and name no tags share their headers. */
function replyBytes({ reply: { body, headers }, tags }: CachedReply): number {
  const { 'X-Lectern-Omitted': omitted = '', 'Cache-Tag': names = '' } = headers;
  const hasOwn = omitted !== '' || names !== '';
  return body.length + tags.length * tagBytes + (hasOwn ? ownHeaderBytes + omitted.length + 2 * names.length : 0);
}

/** A reply as it is cached. */
export interface CachedReply {
  reply: Reply;
  /** What the reply depends on. */
  readonly tags: readonly Tag[];
  /** The last batch after which this reply was checked to be current. */
  sequence: number;
}

/** Bytes of a tag. Texts are the longest. */
const tagBytes = 48;

/** What it costs to keep rows, and what a request for them cost. */
interface RowsOffer {
  readonly price: number;
  readonly bytes: number;
  readonly cost: number;
}

/** The rows that pass a filter. */
export interface FilterResult {
  /** A list is ascending, or in the order of the sort that its key names. */
  readonly rows: RowSet;
  readonly count: number;
  /** The cost of planning, and an upper bound of that of running the plan. Undefined for the rows of a scope. */
  readonly cost?: number;
}

/** What was requested before. */
interface Requested {
  readonly replies: AdmissionFilter;
  readonly rows: SpentCosts;
}

/** Rows in a full cache have to be worth this many times as much as others, because they replace some. */
const fullCachePrice = 4;

/**
 * Replies by URL and by bound query, and row sets by filter, each with a third of the bytes. Every key of a reply
 * begins with the id of the caller's permission set, so no caller gets a reply that was made for other permissions.
 *
 * A reply is cached from its second request on. A full cache admits fewer: storing and evicting a rare reply costs more
 * than making it. Rows are cached once finding them has cost more than keeping them.
 */
export class Caches {
  readonly #byUrl: ByteBoundedCache<CachedReply>;
  readonly #byQuery: ByteBoundedCache<CachedReply>;
  readonly #rows: ByteBoundedCache<FilterResult>;
  /** Null if nothing is cached. */
  #requested: Requested | null;

  /** `bytes` bounds all caches together; 0 caches nothing. */
  constructor(bytes: number) {
    const maxSize = shareOf(bytes);
    this.#requested = createRequested(maxSize);
    this.#byUrl = new ByteBoundedCache(maxSize, replyBytes);
    this.#byQuery = new ByteBoundedCache(maxSize, replyBytes);
    this.#rows = new ByteBoundedCache(maxSize, ({ rows }) => bytesOfRows(rows));
  }

  /** Bounds all caches together from now on. Evicts what was used least recently; 0 evicts everything. */
  resize(bytes: number): void {
    const maxSize = shareOf(bytes);
    this.#requested = createRequested(maxSize, this.#requested);
    for (const cache of [this.#byUrl, this.#byQuery, this.#rows]) cache.resize(maxSize);
  }

  replyByUrl(key: string): CachedReply | undefined {
    return this.#byUrl.get(key);
  }

  replyByQuery(key: string): CachedReply | undefined {
    return this.#byQuery.get(key);
  }

  /** Returns whether to cache the reply under this key. */
  admitsReply(key: string): boolean {
    return this.#requested?.replies.admits(key, this.#byUrl.isFull || this.#byQuery.isFull) ?? false;
  }

  keepByUrl(key: string, cached: CachedReply): void {
    this.#byUrl.set(key, cached);
  }

  keepByQuery(key: string, cached: CachedReply): void {
    this.#byQuery.set(key, cached);
  }

  /** Whether sets of rows are kept. */
  get keepsRows(): boolean {
    return this.#requested !== null;
  }

  /** Returns whether rows with this hash may be in the cache. */
  mayHoldRows(hash: number): boolean {
    return this.#requested?.rows.isPaid(hash) ?? false;
  }

  rows(key: string): FilterResult | undefined {
    return this.#rows.get(key);
  }

  /**
   * Returns whether to keep rows with this hash: once earlier requests have spent more on finding them than `price`, which
   * is what it costs to make them ready to be kept. If not, adds the `cost` of this request. Costs are those of plans, and
   * each byte has one more.
   */
  admitsRows(hash: number, { price, bytes, cost }: RowsOffer): boolean {
    const whole = (price + bytes) * (this.#rows.isFull ? fullCachePrice : 1);
    return this.#requested?.rows.pay(hash, whole, cost) ?? false;
  }

  keepRows(key: string, rows: FilterResult): void {
    this.#rows.set(key, rows);
  }

  /** Drops all sets of rows. */
  dropRows(): void {
    this.#rows.clear();
  }

  get statistics(): Record<'url' | 'query' | 'rows', CacheStatistics> {
    return { url: this.#byUrl.statistics, query: this.#byQuery.statistics, rows: this.#rows.statistics };
  }
}

/** Returns the bytes that a set of rows takes. */
export function bytesOfRows(rows: RowSet): number {
  return (rows instanceof BitSet ? rows.words : rows).buffer.byteLength;
}

/** Returns the bytes of each of the three caches. */
function shareOf(bytes: number): number {
  return Math.floor(bytes / 3);
}

function createRequested(maxSize: number, earlier: Requested | null = null): Requested | null {
  if (maxSize === 0) return null;
  return earlier ?? { replies: new AdmissionFilter(), rows: new SpentCosts() };
}
