import type { Caller } from '../access/authenticate.ts';
import { ForbiddenError, NotFoundError, RequestError, withMissingPermission } from '../base/errors.ts';
import type { Settings } from '../config/config.ts';
import { isScalar } from '../model/schema.ts';
import type { SnapshotType } from '../model/type-definition.ts';
import type { BoundQuery } from '../query/bound.ts';
import { queryKey } from '../query/key.ts';
import { queryTags } from '../query/query-tags.ts';
import type { RawQuery } from '../query/syntax/parse.ts';
import { copyOut, releaseBuffer } from '../reply/buffer-pool.ts';
import { cacheControl, noStore } from '../reply/cache-control.ts';
import { errorReply, jsonHeaders, type Reply, type ReplyHeaders } from '../reply/reply.ts';
import { type ContentVersion, nextVersion, versionText } from '../store/content-version.ts';
import { replyNames } from '../store/reply-names.ts';
import { collectionOf, type Store } from '../store/store.ts';
import { linksTag, rowTag, type Tag } from '../store/tags.ts';
import { type BoundRequest, CompiledQuery, type Format, type ReplyTemplate } from './bound-request.ts';
import type { CacheStatistics } from './byte-bounded-cache.ts';
import type { CachedReply } from './caches.ts';
import type { Catalog } from './catalog.ts';
import { EngineMemory } from './engine-memory.ts';
import { Executor } from './executor.ts';
import { RowFinder } from './find-rows.ts';
import type { QueryRoute, Route, SchemasRoute } from './routes.ts';
import { SchemaReplies } from './schema-replies.ts';
import type { StoreAccess } from './store-access.ts';
import { type Explanation, Trace } from './trace.ts';

const noContent = Buffer.alloc(0);

/** The parts of a snapshot that the engine serves. */
interface StoreContent {
  readonly store: Store;
  readonly version: ContentVersion;
  /** The content types and components as they are written. */
  readonly types: readonly SnapshotType[];
  readonly access: StoreAccess;
}

/**
 * Answers requests from one store, and holds everything that depends on it. New content gets a new engine; requests in
 * progress end on the one that they began with. Constructing an engine takes no work per row or per type.
 */
export class StoreEngine {
  readonly store: Store;
  readonly version: ContentVersion;
  /** The headers that name the store and its version. */
  readonly storeHeaders: ReplyHeaders;
  readonly access: StoreAccess;
  readonly catalog: Catalog;
  readonly #settings: Settings;
  readonly #memory: EngineMemory;
  /** The number of the last batch of changes in the store. */
  readonly #sequence: number;
  readonly #executor: Executor;
  readonly #types: readonly SnapshotType[];
  readonly #schemas: SchemaReplies;
  /** The headers of this store in place of those of an earlier one, with which a reply was cached. */
  readonly #renewedHeaders = new WeakMap<ReplyHeaders, ReplyHeaders>();
  /** Headers of replies that omit nothing, by `Cache-Control`, of which the settings hold a few. */
  readonly #commonHeaders = new Map<string, ReplyHeaders>();

  /** `memory` is that of the engine of the store that this one differs from by changes. Default: empty. */
  constructor(
    catalog: Catalog,
    { store, version, types, access }: StoreContent,
    settings: Settings,
    memory = new EngineMemory(settings),
  ) {
    const { dialect, delimiters } = catalog;
    const { budgets } = settings;
    this.store = store;
    this.version = version;
    this.storeHeaders = { 'X-Lectern-Snapshot': store.contentDigest, 'X-Lectern-Version': versionText(version) };
    this.access = access;
    this.catalog = catalog;
    this.#settings = settings;
    this.#types = types;
    this.#memory = memory;
    this.#sequence = memory.changes.sequence;
    const rows = new RowFinder(store, dialect, budgets.steps, memory);
    this.#executor = new Executor(store, dialect, delimiters, rows, budgets);
    this.#schemas = new SchemaReplies(types);
  }

  /**
   * Returns the engine of a store that a batch of changes leads to. `stale` are the tags of what it changes, or null for everything. It takes
   * over what this engine remembers. This one still answers from its store, for requests in progress, without caches.
   */
  change(store: Store, access: StoreAccess, stale: Iterable<Tag> | null): StoreEngine {
    this.#memory.change(store, stale);
    const content = { store, version: nextVersion(this.version), types: this.#types, access };
    return new StoreEngine(this.catalog, content, this.#settings, this.#memory);
  }

  /** Returns the engine of the same store under another version. Use this one no longer. */
  renumber(version: ContentVersion): StoreEngine {
    const content = { store: this.store, version, types: this.#types, access: this.access };
    return new StoreEngine(this.catalog, content, this.#settings, this.#memory);
  }

  /**
   * Returns the engine of a store with the same content and another base. Replies stay cached, but for those with tags of
   * rows that have other numbers there. This one still answers without caches, as after `change`.
   */
  rebase(store: Store, access: StoreAccess): StoreEngine {
    this.#memory.rebase(store, renumberedRows(this.store));
    const content = { store, version: this.version, types: this.#types, access };
    return new StoreEngine(this.catalog, content, this.#settings, this.#memory);
  }

  /** Uses this part of the memory for caches and derived structures from now on, from 0 to 1. */
  takeShare(share: number): void {
    this.#memory.takeShare(share);
    this.catalog.binder.takeShare(share);
  }

  /** Use and size of the caches. */
  get cacheFigures(): Record<'url' | 'query' | 'rows' | 'preparedQueries' | 'derived', CacheStatistics> {
    return {
      ...this.#memory.caches.statistics,
      preparedQueries: this.catalog.statistics,
      derived: this.#memory.derived.statistics,
    };
  }

  /** Answers a path below the prefix, with its query string. Returns an error as a reply. */
  answer(path: string, caller: Caller, format: Format): Reply {
    const callerKey = `${caller.permissions.id} ${caller.role} ${format}`;
    const replyKey = `${callerKey} ${path}`;
    const { caches, changes } = this.#memory;
    const isLatest = changes.sequence === this.#sequence;
    const known = isLatest ? caches.replyByUrl(replyKey) : undefined;
    if (known && this.#isCurrent(known)) return known.reply;
    let route: Route | undefined;
    try {
      const [pathname, queryString] = splitQuery(path);
      route = this.#route(pathname, queryString);
      if (route.kind === 'schemas') return this.#describe(route, queryString, caller);
      const request = this.catalog.binder.bindQueryString(route, queryString, caller, callerKey, format);
      const isCached = isLatest && route.kind !== 'me' && (known || caches.admitsReply(replyKey));
      if (!isCached) return this.#reply(request);
      const cached = this.#cachedReply(request, callerKey);
      caches.keepByUrl(replyKey, cached);
      return cached.reply;
    } catch (error) {
      return errorReplyOf(error, route && this.#nameOf(route));
    }
  }

  /** Returns the body of the reply to a query. Throws a RequestError. */
  read(route: QueryRoute, query: RawQuery, caller: Caller): Buffer {
    const body = this.#execute(this.catalog.binder.bindQuery(route, query, caller, 'flat'));
    if (!body) throw new NotFoundError();
    return body;
  }

  /** Returns what the reply to a path depends on: nothing if the path or its query is rejected. */
  tagsOfPath(path: string, caller: Caller): ReadonlySet<Tag> {
    return this.#tagsOf(() => {
      const [pathname, queryString] = splitQuery(path);
      const route = this.#route(pathname, queryString);
      if (route.kind === 'schemas') return null;
      const { binder } = this.catalog;
      return binder.bindQuery(route, binder.parseWithAdditions(route, queryString, caller), caller, 'flat');
    });
  }

  /** The same for a query. */
  tagsOfQuery(route: QueryRoute, query: RawQuery, caller: Caller): ReadonlySet<Tag> {
    return this.#tagsOf(() => this.catalog.binder.bindQuery(route, query, caller, 'flat'));
  }

  #tagsOf(bind: () => BoundRequest | null): ReadonlySet<Tag> {
    const tags = new Set<Tag>();
    try {
      const request = bind();
      const body = request && this.#execute(request, undefined, tags);
      if (body) releaseBuffer(body);
    } catch (error) {
      // a missing entry depends on what would make it exist
      if (!(error instanceof RequestError)) throw error;
    }
    return tags;
  }

  /**
   * Explains how a path is answered. Binds its query anew, without prepared queries, and neither reads nor fills the
   * caches of replies and rows.
   */
  explain(path: string, caller: Caller, format: Format): Explanation {
    const trace = new Trace(this.#settings.budgets.steps);
    try {
      const [pathname, queryString] = splitQuery(path);
      const route = this.#route(pathname, queryString);
      if (route.kind === 'schemas') {
        const { status, body } = this.#describe(route, queryString, caller);
        return trace.explanation(status, 'no query: the types are described', body.length);
      }
      const { binder } = this.catalog;
      const query = binder.parseWithAdditions(route, queryString, caller);
      trace.mark('parse');
      const request = binder.bindQuery(route, query, caller, format);
      trace.mark('bind');
      const body = this.#execute(request, trace);
      return trace.explanation(body ? 200 : 204, trace.printPlan(), body?.length ?? 0);
    } catch (error) {
      const { status, body } = errorReplyOf(withMissingPermission(error));
      return trace.explanation(status, body.toString(), body.length);
    }
  }

  /** Returns whether a path below the prefix, with its query string, is a route of the content. */
  hasRoute(path: string): boolean {
    return this.catalog.routeOf(splitQuery(path)[0]) !== null;
  }

  #route(pathname: string, queryString: string): Route {
    const route = this.catalog.routeOf(pathname);
    if (!route) throw new NotFoundError();
    return this.catalog.withQuery(route, queryString);
  }

  /** Returns the reply from the cache by bound query. Makes and keeps it if it is not there. */
  #cachedReply(request: BoundRequest, callerKey: string): CachedReply {
    const { caches, changes } = this.#memory;
    const { template, key, query } = request;
    const { route, isWhole, omitted } = template;
    const parts = JSON.stringify([route.path, key?.operand, isWhole, omitted]);
    const queryText = `${callerKey} ${parts} ${queryKey(query)}`;
    const known = caches.replyByQuery(queryText);
    if (known && this.#isCurrent(known)) return known;
    const tags = new Set<Tag>();
    const reply = this.#reply(request, tags);
    const cached = { reply: { ...reply, body: copyOut(reply.body) }, tags: [...tags], sequence: changes.sequence };
    caches.keepByQuery(queryText, cached);
    return cached;
  }

  /** Returns whether a cached reply is what this store answers. Changes its headers to those of this store. */
  #isCurrent(cached: CachedReply): boolean {
    const { changes } = this.#memory;
    if (cached.sequence === changes.sequence) return true;
    if (changes.isStale(cached.tags, cached.sequence)) return false;
    cached.reply = { ...cached.reply, headers: this.#renew(cached.reply.headers) };
    cached.sequence = changes.sequence;
    return true;
  }

  /** Replies that shared headers share the new ones. */
  #renew(headers: ReplyHeaders): ReplyHeaders {
    let renewed = this.#renewedHeaders.get(headers);
    if (!renewed) {
      renewed = { ...headers, ...this.storeHeaders };
      this.#renewedHeaders.set(headers, renewed);
    }
    return renewed;
  }

  /** Makes a reply. Adds what it depends on to `tags`. */
  #reply(request: BoundRequest, tags = this.#settings.cacheTags ? new Set<Tag>() : undefined): Reply {
    const { template } = request;
    const compiled = this.#compiledOf(request);
    const body = this.#executor.write(request, compiled, undefined, tags);
    const { routeName: route } = template;
    if (!body) return { status: 204, headers: this.#headers(template), body: noContent, route };
    const headers = (compiled.headers ??= this.#jsonHeaders(template));
    return { status: 200, headers: this.#settings.cacheTags ? this.#withTags(headers, tags!) : headers, body, route };
  }

  /** Adds the names of what a reply depends on, as CDNs read them. */
  #withTags(headers: ReplyHeaders, tags: Iterable<Tag>): ReplyHeaders {
    const names = replyNames(this.store, tags);
    return { ...headers, 'Cache-Tag': names.join(','), 'Surrogate-Key': names.join(' ') };
  }

  #execute(request: BoundRequest, trace?: Trace, tags?: Set<Tag>): Buffer | null {
    return this.#executor.write(request, this.#compiledOf(request), trace, tags);
  }

  /** Returns what this store adds to a template. A template of one request gets an object that is not kept. */
  #compiledOf({ template, query }: BoundRequest): CompiledQuery {
    if (!template.isShared) return new CompiledQuery();
    const known = this.#memory.compiledOf(template);
    if (known?.fits(this.store)) return known;
    const types = known?.types ?? this.#typesOf(query);
    const created = new CompiledQuery(types, this.store, known?.sizeHint);
    this.#memory.keepCompiled(template, created);
    return created;
  }

  /** The numbers of the collections that a query reads. */
  #typesOf(query: BoundQuery): readonly number[] {
    const { schema } = this.store;
    return Array.from(queryTags(schema, query, null).types, (uid) => collectionOf(this.store, uid).number);
  }

  /** Replies that omit nothing share one object, so that caches hold their headers once. */
  #jsonHeaders(template: ReplyTemplate): ReplyHeaders {
    const headers: ReplyHeaders = { ...jsonHeaders, ...this.#headers(template) };
    if (headers['X-Lectern-Omitted']) return headers;
    const known = this.#commonHeaders.get(headers['Cache-Control']);
    if (!known) this.#commonHeaders.set(headers['Cache-Control'], headers);
    return known ?? headers;
  }

  #headers({ headers }: Pick<ReplyTemplate, 'headers'>): ReplyHeaders {
    return { ...this.storeHeaders, ...headers };
  }

  /** Describes the types of the content. Throws a RequestError. */
  #describe(route: SchemasRoute, queryString: string, { permissions, role }: Caller): Reply {
    const { describes, identifier, action } = route;
    if (!permissions.allows(action)) throw new ForbiddenError('Forbidden', { role, action });
    const { kind } = this.catalog.binder.parse(queryString);
    const { status, body } = this.#schemas.answer({ describes, uid: identifier, kind });
    const caching = status === 200 ? cacheControl(this.#settings.cacheControl, role, '') : noStore;
    const headers = { ...jsonHeaders, ...this.#headers({ headers: { 'Cache-Control': caching } }) };
    return { status, headers, body, route: this.#nameOf(route) };
  }

  #nameOf({ path }: Route): string {
    return `${this.#settings.prefix}/${path}`;
  }
}

/** Returns a tag for each kind of rows that a base of the live rows numbers in another way. */
function* renumberedRows({ segments, schema }: Store): Generator<Tag> {
  for (const { collection, dead, isInIdOrder } of segments) {
    if (dead.length === 0 && isInIdOrder) continue;
    yield rowTag(collection.number, 0);
    for (const attribute of collection.type.attributes.values()) {
      if (!isScalar(attribute)) yield linksTag(schema.numberOf(attribute), 0);
    }
  }
}

/** Returns the reply to a rejected request. Rethrows other errors. */
export function errorReplyOf(error: unknown, route?: string): Reply {
  if (!(error instanceof RequestError)) throw error;
  return errorReply(error, route);
}

/** Splits a path at its first question mark. */
export function splitQuery(path: string): [pathname: string, queryString: string] {
  const mark = path.indexOf('?');
  return mark < 0 ? [path, ''] : [path.slice(0, mark), path.slice(mark + 1)];
}
