import type { Caller } from '../model/access/caller.ts';
import type { Schema } from '../model/schema/schema.ts';
import { extractValues } from '../query/placeholders.ts';
import type { BoundRequest, Format } from './bound-request.ts';
import { AdmissionFilter } from './caches/admission-filter.ts';
import { ByteBoundedCache, type CacheStatistics } from './caches/byte-bounded-cache.ts';
import type { PreparedQuery } from './prepared-query.ts';
import type { QueryBinder } from './query-binder.ts';
import { rowKeyOf } from './routes/route-rules.ts';
import type { QueryRoute } from './routes/routes.ts';

/** A prepared query that takes more is not kept. */
const maxQueryBytes = 128 * 1024;

/** Binds query strings as a `QueryBinder` does, and keeps prepared queries by their form. */
export class PreparedQueries {
  readonly #binder: QueryBinder;
  readonly #maxBytes: number;
  readonly #prepared: ByteBoundedCache<PreparedQuery>;
  /** The forms that were requested while the cache was full. Null if it never was. */
  #requested: AdmissionFilter | null = null;

  constructor(binder: QueryBinder, schema: Schema, maxBytes: number) {
    this.#binder = binder;
    this.#maxBytes = maxBytes;
    this.#prepared = new ByteBoundedCache(maxBytes, (prepared) => prepared.bytes(schema), maxQueryBytes);
  }

  /** Keeps this part of the prepared queries from now on, from 0 to 1. */
  takeShare(share: number): void {
    this.#requested = null;
    this.#prepared.resize(Math.floor(this.#maxBytes * share));
  }

  get statistics(): CacheStatistics {
    return this.#prepared.statistics;
  }

  /** Binds a query string. `callerKey` is equal for callers who get the same replies. Throws a RequestError. */
  bind(route: QueryRoute, text: string, caller: Caller, callerKey: string, format: Format): BoundRequest {
    this.#binder.checkLength(text);
    // the user of `me` differs from request to request, and a hook may rewrite any value
    const isPreparable = route.kind !== 'me' && route.addition?.hook === undefined;
    const extracted = isPreparable ? extractValues(text) : null;
    // where one entry is read, a filter's values may decide whether it is rejected
    if (extracted && (route.kind === 'list' || extracted.values.length === 0)) {
      const { form, values } = extracted;
      const prefix = `${callerKey} ${route.path} `;
      const prepared = this.#prepared.get(prefix + form) ?? this.#prepare(prefix, form, route, caller, format);
      if (prepared) return { template: prepared.template, query: prepared.fill(values), key: rowKeyOf(route, null) };
    }
    return this.#binder.bindQuery(route, this.#binder.parseWithAdditions(route, text, caller), caller, format);
  }

  /**
   * Returns the prepared query of a form without the parameters that the dialect ignores. Null if it is rejected, or if
   * the cache is full and the form is requested for the first time: it would evict one that is requested again.
   */
  #prepare(prefix: string, form: string, route: QueryRoute, caller: Caller, format: Format): PreparedQuery | null {
    const effective = this.#binder.withoutIgnored(form);
    const key = prefix + effective;
    const known = effective === form ? undefined : this.#prepared.get(key);
    if (known) return known;
    if (this.#prepared.isFull) {
      this.#requested ??= new AdmissionFilter();
      if (!this.#requested.seenBefore(key)) return null;
    }
    const prepared = this.#binder.prepare(effective, route, caller, format);
    if (prepared) this.#prepared.set(key, prepared);
    return prepared;
  }
}
