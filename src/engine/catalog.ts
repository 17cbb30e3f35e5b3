import type { Dialect } from '../core/dialect.ts';
import { type Caller, tokenRole } from '../model/access/caller.ts';
import { allPermissions } from '../model/access/permissions.ts';
import type { Schema } from '../model/schema/schema.ts';
import type { Settings } from '../model/settings/config.ts';
import type { Additions } from '../query/addition.ts';
import { DelimiterCache } from '../query/reply/delimiters.ts';
import type { RawQuery } from '../query/syntax/parse.ts';
import type { Store } from '../store/store.ts';
import type { CacheStatistics } from './caches/byte-bounded-cache.ts';
import { PreparedQueries } from './prepared-queries.ts';
import { QueryBinder } from './query-binder.ts';
import { RouteTable } from './routes/route-table.ts';
import { type ConfigurableRoute, everyLocaleOf, type Route } from './routes/routes.ts';

/** May use every route. Any user id will do, because the query is only bound. */
const checkingCaller: Caller = { permissions: allPermissions(), role: tokenRole, userId: 0 };

/**
 * Everything that depends on the schema and not on the rows: routes, prepared queries, delimiters. It outlives a store
 * whose schema, locales and dialect are the same.
 */
export class Catalog {
  readonly dialect: Dialect;
  readonly routes: RouteTable;
  readonly binder: QueryBinder;
  readonly prepared: PreparedQueries;
  readonly delimiters: DelimiterCache;
  readonly #schema: Schema;
  readonly #schemaKey: string;

  /** `additions` are the site's additions to queries that come as URLs. */
  constructor(store: Store, dialect: Dialect, settings: Settings, additions?: Additions) {
    const { schema, schemaKey, locales, defaultLocale } = store;
    // the catalog may outlive the store, so it does not keep it
    this.#schema = schema;
    this.#schemaKey = schemaKey;
    this.dialect = dialect;
    this.routes = new RouteTable(schema, { ...dialect.routes, additions });
    this.binder = new QueryBinder({ schema, locales, defaultLocale }, dialect, settings);
    this.prepared = new PreparedQueries(this.binder, schema, settings.preparedBytes);
    this.delimiters = new DelimiterCache(dialect.reply);
  }

  /** Returns whether prepared queries mean the same in another store. */
  serves({ schemaKey }: Store, dialect: Dialect): boolean {
    return schemaKey === this.#schemaKey && dialect === this.dialect;
  }

  /**
   * Returns the route of a path below the prefix, without its query string. It may be percent-encoded. Null if there is
   * none.
   */
  routeOf(pathname: string): Route | null {
    return pathname.includes('%') ? this.routes.findParts(decodedParts(pathname)) : this.routes.find(pathname);
  }

  /** Returns the route that a query string makes of another: a single type in every locale is a list. */
  withQuery(route: Route, queryString: string): Route {
    if (route.kind !== 'single' || !this.dialect.routes.listsEveryLocale(queryString)) return route;
    return this.#schema.type(route.uid).localized ? everyLocaleOf(route) : route;
  }

  /** Throws a RequestError for a query that is rejected for every caller. */
  check({ route }: ConfigurableRoute, query: RawQuery): void {
    this.binder.bindQuery(route, query, checkingCaller, 'flat');
  }

  /** Use and size of the cache of prepared queries. */
  get statistics(): CacheStatistics {
    return this.prepared.statistics;
  }
}

/** Decodes the parts of a path. Returns none for a path that cannot be decoded. */
function decodedParts(pathname: string): string[] {
  try {
    return pathname.split('/').map(decodeURIComponent);
  } catch {
    return [];
  }
}
