import { jsonHeaders, type ReplyHeaders } from '../query/reply/reply.ts';
import type { Store } from '../store/store.ts';
import { replyNames } from '../store/tags/reply-names.ts';
import type { Tag } from '../store/tags/tags.ts';

/** The headers of replies from one store. Replies share objects of headers, so that caches hold each once. */
export class StoreHeaders {
  readonly #store: Store;
  /** Name the store and its version. */
  readonly own: ReplyHeaders;
  /** Headers of replies that omit nothing, by `Cache-Control`. The settings hold few values of it. */
  readonly #common = new Map<string, ReplyHeaders>();
  /** Headers of cached replies from earlier stores, with this store's digest and version. */
  readonly #renewed = new WeakMap<ReplyHeaders, ReplyHeaders>();

  /** `version` is the value of `X-Lectern-Version`. */
  constructor(store: Store, version: string) {
    this.#store = store;
    this.own = { 'X-Lectern-Snapshot': store.contentDigest, 'X-Lectern-Version': version };
  }

  /** Returns the headers of a reply without a body. */
  with(headers: ReplyHeaders): ReplyHeaders {
    return { ...this.own, ...headers };
  }

  /** Returns the headers of a reply in JSON. */
  ofJson(headers: ReplyHeaders): ReplyHeaders {
    const all: ReplyHeaders = { ...jsonHeaders, ...this.with(headers) };
    if (all['X-Lectern-Omitted']) return all;
    const known = this.#common.get(all['Cache-Control']);
    if (!known) this.#common.set(all['Cache-Control'], all);
    return known ?? all;
  }

  /** Adds the names of what a reply depends on, as CDNs read them. `cacheTags` is the setting. */
  withTags(headers: ReplyHeaders, tags: Iterable<Tag>, cacheTags: number | true): ReplyHeaders {
    const names = replyNames(this.#store, tags, cacheTags === true ? undefined : cacheTags);
    return { ...headers, 'Cache-Tag': names.join(','), 'Surrogate-Key': names.join(' ') };
  }

  /** Returns the headers of a reply that an earlier store gave, with those of this store. */
  renew(headers: ReplyHeaders): ReplyHeaders {
    let renewed = this.#renewed.get(headers);
    if (!renewed) {
      renewed = { ...headers, ...this.own };
      this.#renewed.set(headers, renewed);
    }
    return renewed;
  }
}
