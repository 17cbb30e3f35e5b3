import type { Caller } from '../access/authenticate.ts';
import { ForbiddenError, NotFoundError, RequestError, withMissingPermission } from '../base/errors.ts';
import type { Settings } from '../config/config.ts';
import { DerivedRegistry } from '../derived/registry.ts';
import type { SnapshotType } from '../model/type-definition.ts';
import { queryKey } from '../query/key.ts';
import type { RawQuery } from '../query/syntax/parse.ts';
import { copyOut } from '../reply/buffer-pool.ts';
import { cacheControl, noStore } from '../reply/cache-control.ts';
import { errorReply, jsonHeaders, type Reply, type ReplyHeaders } from '../reply/reply.ts';
import type { Store } from '../store/store.ts';
import { type BoundRequest, CompiledQuery, type Format, type ReplyTemplate } from './bound-request.ts';
import type { CacheStatistics } from './byte-bounded-cache.ts';
import { Caches } from './caches.ts';
import type { Catalog } from './catalog.ts';
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
  readonly access: StoreAccess;
  readonly catalog: Catalog;
  readonly #settings: Settings;
  readonly #caches: Caches;
  readonly #derived: DerivedRegistry;
  readonly #rows: RowFinder;
  readonly #executor: Executor;
  readonly #schemas: SchemaReplies;
  /** Compiled queries, by the template of a prepared query. An entry goes when the prepared query is evicted. */
  readonly #compiled = new WeakMap<ReplyTemplate, CompiledQuery>();
  /** Headers of replies that omit nothing, by `Cache-Control`, of which the settings hold a few. */
  readonly #commonHeaders = new Map<string, ReplyHeaders>();

  constructor(catalog: Catalog, { store, types, access }: StoreContent, settings: Settings) {
    const { dialect, delimiters } = catalog;
    const { budgets, cacheBytes, derivedBytes } = settings;
    this.store = store;
    this.access = access;
    this.catalog = catalog;
    this.#settings = settings;
    this.#caches = new Caches(cacheBytes);
    this.#derived = new DerivedRegistry(derivedBytes);
    this.#rows = new RowFinder(store, dialect, budgets.steps, this.#caches, this.#derived);
    this.#executor = new Executor(store, dialect, delimiters, this.#rows, budgets);
    this.#schemas = new SchemaReplies(types);
  }

  /** Uses this part of the memory for caches and derived structures from now on, from 0 to 1. */
  takeShare(share: number): void {
    const { cacheBytes, derivedBytes } = this.#settings;
    this.#caches.resize(Math.floor(cacheBytes * share));
    this.#derived.limit(Math.floor(derivedBytes * share));
    this.catalog.binder.takeShare(share);
  }

  /** Use and size of the caches. */
  get cacheFigures(): Record<'url' | 'query' | 'rows' | 'preparedQueries' | 'derived', CacheStatistics> {
    return {
      ...this.#caches.statistics,
      preparedQueries: this.catalog.statistics,
      derived: this.#derived.statistics,
    };
  }

  /** Answers a path below the prefix, with its query string. Returns an error as a reply. */
  answer(path: string, caller: Caller, format: Format): Reply {
    const callerKey = `${caller.permissions.id} ${caller.role} ${format}`;
    const replyKey = `${callerKey} ${path}`;
    const known = this.#caches.replyByUrl(replyKey);
    if (known) return known;
    let route: Route | undefined;
    try {
      const [pathname, queryString] = splitQuery(path);
      route = this.#route(pathname, queryString);
      if (route.kind === 'schemas') return this.#describe(route, queryString, caller);
      const request = this.catalog.binder.bindQueryString(route, queryString, caller, callerKey, format);
      if (route.kind === 'me' || !this.#caches.admitsReply(replyKey)) return this.#reply(request);
      const reply = this.#cachedReply(request, callerKey);
      this.#caches.keepByUrl(replyKey, reply);
      return reply;
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
  #cachedReply(request: BoundRequest, callerKey: string): Reply {
    const { template, key, query } = request;
    const { route, isWhole, omitted } = template;
    const parts = JSON.stringify([route.path, key?.operand, isWhole, omitted]);
    return this.#caches.reply(`${callerKey} ${parts} ${queryKey(query)}`, () => {
      const reply = this.#reply(request);
      return { ...reply, body: copyOut(reply.body) };
    });
  }

  #reply(request: BoundRequest): Reply {
    const { template } = request;
    const compiled = this.#compiledOf(template);
    const body = this.#executor.write(request, compiled);
    const { routeName: route } = template;
    if (!body) return { status: 204, headers: this.#headers(template), body: noContent, route };
    const headers = (compiled.headers ??= this.#jsonHeaders(template));
    return { status: 200, headers, body, route };
  }

  #execute(request: BoundRequest, trace?: Trace): Buffer | null {
    return this.#executor.write(request, this.#compiledOf(request.template), trace);
  }

  /** Returns what this store adds to a template. A template of one request gets an object that is not kept. */
  #compiledOf(template: ReplyTemplate): CompiledQuery {
    if (!template.isShared) return new CompiledQuery();
    let compiled = this.#compiled.get(template);
    if (!compiled) {
      compiled = new CompiledQuery();
      this.#compiled.set(template, compiled);
    }
    return compiled;
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
    return { 'X-Lectern-Snapshot': this.store.contentDigest, ...headers };
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
