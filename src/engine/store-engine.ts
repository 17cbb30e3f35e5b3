import type { CacheStatistics } from '../core/byte-bounded-cache.ts';
import {
  ForbiddenError,
  NotFoundError,
  RequestError,
  UnknownRouteError,
  withMissingPermission,
} from '../core/errors.ts';
import { describeSchema, type SchemaDescription } from '../description/describe-schema.ts';
import type { Caller, PermissionSet } from '../model/access/permissions.ts';
import type { SnapshotType } from '../model/schema/type-definition.ts';
import type { Settings } from '../model/settings/config.ts';
import { queryPolicies } from '../query/dialects.ts';
import { cacheControl, errorReply, jsonHeaders, noStore, type Reply } from '../query/reply/reply.ts';
import { releaseBuffer } from '../query/reply/reply-memory.ts';
import type { RawQuery } from '../query/syntax/parse.ts';
import { type ContentVersion, versionText } from '../store/content-version.ts';
import type { Store } from '../store/store.ts';
import type { Tag } from '../store/tags/tags.ts';
import type { BoundRequest, Format } from './bound-request.ts';
import { CachedReplies } from './caches/cached-replies.ts';
import { renumberedRows } from './caches/change-log.ts';
import { EngineMemory } from './caches/engine-memory.ts';
import type { Catalog } from './catalog.ts';
import { CompiledQuery } from './compiled-queries.ts';
import { Executor } from './executor.ts';
import { RowFinder } from './find-rows.ts';
import { describeRoute } from './routes/describe-route.ts';
import { type QueryRoute, type Route, type SchemasRoute, splitQuery } from './routes/routes.ts';
import { SchemaReplies } from './schemas/schema-replies.ts';
import type { StoreAccess } from './store-access.ts';
import { StoreHeaders } from './store-headers.ts';
import { type Explanation, explainedReply, Trace } from './trace.ts';

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
  readonly access: StoreAccess;
  readonly catalog: Catalog;
  readonly #settings: Settings;
  readonly #memory: EngineMemory;
  readonly headers: StoreHeaders;
  readonly #replies: CachedReplies;
  readonly #makeReply = (request: BoundRequest, tags: Set<Tag>) => this.#reply(request, tags);
  readonly #executor: Executor;
  readonly #types: readonly SnapshotType[];
  readonly #schemas: SchemaReplies;

  /** `memory`: the caches of the previous engine, if this store is its store plus a batch. Default: empty. */
  constructor(
    catalog: Catalog,
    { store, version, types, access }: StoreContent,
    settings: Settings,
    memory = new EngineMemory(settings),
  ) {
    const { dialect, delimiters } = catalog;
    this.store = store;
    this.version = version;
    this.access = access;
    this.catalog = catalog;
    this.#settings = settings;
    this.#types = types;
    this.#memory = memory;
    this.headers = new StoreHeaders(store, versionText(version));
    this.#replies = new CachedReplies(memory, this.headers);
    const rows = new RowFinder(store, dialect, settings.budgets.steps, memory);
    this.#executor = new Executor(store, dialect, delimiters, rows, settings.budgets);
    this.#schemas = new SchemaReplies(types);
  }

  /**
   * Returns the engine of a store that a batch of changes leads to. `stale` are the tags of what it changes, or null for
   * everything. It takes over what this engine remembers. This one still answers from its store, for requests in
   * progress. It uses rows that are cached under the versions of its segments, but no cached replies or compiled queries.
   */
  change(store: Store, version: ContentVersion, access: StoreAccess, stale: Iterable<Tag> | null): StoreEngine {
    this.#memory.change(store, stale);
    return this.#next(store, version, access);
  }

  /**
   * Returns the engine of a store with the same content and another base. Replies stay cached, except those with tags of
   * rows that have other numbers there. This one still answers as after `change`.
   */
  rebase(store: Store, access: StoreAccess): StoreEngine {
    this.#memory.rebase(store, renumberedRows(this.store));
    return this.#next(store, this.version, access);
  }

  /**
   * Returns the engine of the same content to which callers have another access. It takes over what this engine
   * remembers.
   */
  withAccess(access: StoreAccess): StoreEngine {
    return this.#next(this.store, this.version, access);
  }

  #next(store: Store, version: ContentVersion, access: StoreAccess): StoreEngine {
    return new StoreEngine(this.catalog, { store, version, types: this.#types, access }, this.#settings, this.#memory);
  }

  /** Describes what may be read with these permissions. `isOfStrapi`: a Strapi wrote the entries. */
  describe(permissions: PermissionSet, isOfStrapi: boolean): SchemaDescription {
    const { dialect, routes } = this.catalog;
    const { schema, defaultLocale, locales } = this.store;
    const content = {
      schema,
      definitions: this.#types,
      dialect: dialect.name,
      isOfStrapi,
      filters: queryPolicies(dialect).filter,
      hasFacets: this.#settings.facets,
      features: this.#settings.features,
      defaultLocale,
      locales,
      routes: routes.all().map(describeRoute),
    };
    return describeSchema(content, permissions);
  }

  /** Gives up what it remembers, while another engine answers. `takeShare` lets it remember again. */
  releaseMemory(): void {
    this.#memory.takeShare(0);
  }

  /** Uses this part of the memory for caches and derived structures from now on, from 0 to 1. */
  takeShare(share: number): void {
    this.#memory.takeShare(share);
    this.catalog.binder.takeShare(share);
  }

  /** Use and size of the caches. */
  get cacheFigures(): Record<'url' | 'query' | 'rows' | 'preparedQueries' | 'derived' | 'search', CacheStatistics> {
    return {
      ...this.#memory.caches.statistics,
      preparedQueries: this.catalog.binder.statistics,
      derived: this.#memory.derived.statistics,
      search: this.#memory.searches.statistics,
    };
  }

  /** Answers a path below the prefix, with its query string. Returns an error as a reply. */
  answer(path: string, caller: Caller, format: Format): Reply {
    const callerKey = `${caller.permissions.id} ${caller.role} ${format}`;
    const replyKey = `${callerKey} ${path}`;
    const { caches } = this.#memory;
    const { isLatest } = this.#replies;
    const known = isLatest ? caches.replyByUrl(replyKey) : undefined;
    if (known && this.#replies.revalidate(known)) return known.reply;
    let route: Route | undefined;
    try {
      const [pathname, queryString] = splitQuery(path);
      route = this.#route(pathname, queryString, caller);
      if (route.kind === 'schemas') return this.#describe(route, queryString, caller);
      const request = this.catalog.binder.bind(route, queryString, caller, callerKey, format);
      const isCached = isLatest && route.kind !== 'me' && (known || caches.admitsReply(replyKey));
      if (!isCached) return this.#reply(request);
      const cached = this.#replies.ofQuery(request, callerKey, this.#makeReply);
      caches.keepByUrl(replyKey, cached);
      return cached.reply;
    } catch (error) {
      return errorReply(error, route && this.catalog.binder.nameOf(route));
    }
  }

  /** Answers like `answer`, with the plan and the time of each stage in headers. */
  answerExplained(path: string, caller: Caller, format: Format): Reply {
    return explainedReply(this.answer(path, caller, format), this.explain(path, caller, format));
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
      const route = this.#route(pathname, queryString, caller);
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
   * caches of replies and rows. Without `hasPlan`, the plan is neither described nor counted.
   */
  explain(path: string, caller: Caller, format: Format, hasPlan = true): Explanation {
    const trace = new Trace(this.#settings.budgets.steps);
    try {
      const [pathname, queryString] = splitQuery(path);
      const route = this.#route(pathname, queryString, caller);
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
      const [status, bytes] = body ? [200, body.length] : [204, 0];
      return hasPlan ? trace.ofQuery(status, bytes) : trace.explanation(status, '', bytes);
    } catch (error) {
      const { status, body } = errorReply(withMissingPermission(error));
      return trace.explanation(status, body.toString(), body.length);
    }
  }

  /** Whether a path below the prefix, with its query string, is a route of the content. */
  hasRoute(path: string): boolean {
    return this.catalog.routes.find(splitQuery(path)[0]) !== null;
  }

  /** Returns the path of the route that is nearest to a path without a route, of those that a caller may read, or null. */
  nearestRoute(pathname: string, permissions: PermissionSet): string | null {
    return this.catalog.routes.nearest(pathname, permissions);
  }

  #route(pathname: string, queryString: string, caller: Caller): Route {
    const route = this.catalog.routes.findWithQuery(pathname, queryString);
    if (!route) throw new UnknownRouteError(() => this.nearestRoute(pathname, caller.permissions));
    return route;
  }

  /** Makes a reply. Adds what it depends on to `tags`. */
  #reply(request: BoundRequest, tags = this.#settings.cacheTags ? new Set<Tag>() : undefined): Reply {
    const { template } = request;
    const { cacheTags } = this.#settings;
    const compiled = this.#compiled(request);
    const body = this.#executor.execute(request, compiled, undefined, tags);
    const { routeName: route } = template;
    if (!body) return { status: 204, headers: this.headers.with(template.headers), body: noContent, route };
    const headers = (compiled.headers ??= this.headers.ofJson(template.headers));
    return {
      status: 200,
      headers: cacheTags ? this.headers.withTags(headers, tags!, cacheTags) : headers,
      body,
      route,
    };
  }

  #execute(request: BoundRequest, trace?: Trace, tags?: Set<Tag>): Buffer | null {
    return this.#executor.execute(request, this.#compiled(request), trace, tags);
  }

  /** An earlier engine keeps no compiled query, because it would replace that of the latest store and hold its own. */
  #compiled(request: BoundRequest): CompiledQuery {
    return this.#replies.isLatest ? this.#memory.compiled.of(this.store, request) : new CompiledQuery();
  }

  /** Describes the types of the content. Throws a RequestError. */
  #describe(route: SchemasRoute, queryString: string, { permissions, role }: Caller): Reply {
    const { describes, identifier, action } = route;
    if (!permissions.allows(action)) throw new ForbiddenError('Forbidden', { role, action });
    const { kind } = this.catalog.binder.parse(queryString);
    const { status, body } = this.#schemas.answer({ describes, uid: identifier, kind });
    const caching = status === 200 ? cacheControl(this.#settings.cacheControl, role, '') : noStore;
    const headers = { ...jsonHeaders, ...this.headers.with({ 'Cache-Control': caching }) };
    return { status, headers, body, route: this.catalog.binder.nameOf(route) };
  }
}
