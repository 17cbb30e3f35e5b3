import stringify from 'fast-json-stable-stringify';
import type { Reply } from '../../query/reply/reply.ts';
import { copyOut } from '../../query/reply/reply-memory.ts';
import type { Tag } from '../../store/tags/tags.ts';
import type { BoundRequest } from '../bound-request.ts';
import type { StoreHeaders } from '../store-headers.ts';
import type { CachedReply } from './caches.ts';
import type { EngineMemory } from './engine-memory.ts';

/** Makes the reply to a request and adds what it depends on to `tags`. */
type MakeReply = (request: BoundRequest, tags: Set<Tag>) => Reply;

/** The replies that the engine of one store keeps, and those of earlier stores that no change made stale. */
export class CachedReplies {
  readonly #memory: EngineMemory;
  readonly #headers: StoreHeaders;
  /** The number of the last batch of changes in the store. */
  readonly #sequence: number;

  constructor(memory: EngineMemory, headers: StoreHeaders) {
    this.#memory = memory;
    this.#headers = headers;
    this.#sequence = memory.changes.sequence;
  }

  /** Whether no later store uses the caches. */
  get isLatest(): boolean {
    return this.#memory.changes.sequence === this.#sequence;
  }

  /** Returns the reply from the cache by bound query. Makes and keeps it if it is not there. */
  ofQuery(request: BoundRequest, callerKey: string, make: MakeReply): CachedReply {
    const { caches, changes } = this.#memory;
    const { template, key, query } = request;
    const { route, isWhole, omitted } = template;
    const parts = JSON.stringify([route.path, key?.operand, isWhole, omitted]);
    const queryText = `${callerKey} ${parts} ${stringify(query)}`;
    const known = caches.replyByQuery(queryText);
    if (known && this.revalidate(known)) return known;
    const tags = new Set<Tag>();
    const reply = make(request, tags);
    const cached = { reply: { ...reply, body: copyOut(reply.body) }, tags: [...tags], sequence: changes.sequence };
    caches.keepByQuery(queryText, cached);
    return cached;
  }

  /** Returns whether a cached reply is what this store answers. If so, replaces its headers by those of this store. */
  revalidate(cached: CachedReply): boolean {
    const { changes } = this.#memory;
    if (cached.sequence === changes.sequence) return true;
    if (changes.isStale(cached.tags, cached.sequence)) return false;
    cached.reply = { ...cached.reply, headers: this.#headers.renew(cached.reply.headers) };
    cached.sequence = changes.sequence;
    return true;
  }
}
