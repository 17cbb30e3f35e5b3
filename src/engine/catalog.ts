import type { Dialect } from '../core/dialect.ts';
import { allPermissions, type Caller, tokenRole } from '../model/access/permissions.ts';
import type { Settings } from '../model/settings/config.ts';
import { DelimiterCache } from '../query/reply/delimiters.ts';
import type { RawQuery } from '../query/syntax/parse.ts';
import type { Store } from '../store/store.ts';
import { QueryBinder } from './query-binder.ts';
import { RouteTable } from './routes/route-table.ts';
import type { Additions, ConfigurableRoute } from './routes/routes.ts';

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
  readonly delimiters: DelimiterCache;
  readonly #schemaKey: string;

  /** `additions` are the site's additions to queries that come as URLs. */
  constructor(store: Store, dialect: Dialect, settings: Settings, additions?: Additions) {
    const { schema, schemaKey, locales, defaultLocale } = store;
    // the catalog may outlive the store, so it does not keep it
    this.#schemaKey = schemaKey;
    this.dialect = dialect;
    this.routes = new RouteTable(schema, { ...dialect.routes, additions });
    this.binder = new QueryBinder({ schema, locales, defaultLocale }, dialect, settings);
    this.delimiters = new DelimiterCache(dialect.reply);
  }

  /** Returns whether prepared queries mean the same in another store. */
  serves({ schemaKey }: Store, dialect: Dialect): boolean {
    return schemaKey === this.#schemaKey && dialect === this.dialect;
  }

  /** Throws a RequestError for a query that is rejected for every caller. */
  check({ route }: ConfigurableRoute, query: RawQuery): void {
    this.binder.bindQuery(route, query, checkingCaller, 'flat');
  }
}
