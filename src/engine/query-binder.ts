import { ByteBoundedCache, type CacheStatistics } from '../core/byte-bounded-cache.ts';
import type { Dialect } from '../core/dialect.ts';
import { ForbiddenError, RequestError, UnauthorizedError, UriTooLongError } from '../core/errors.ts';
import type { Caller } from '../model/access/permissions.ts';
import { type Schema, userType } from '../model/schema/schema.ts';
import type { Settings } from '../model/settings/config.ts';
import type { Features } from '../model/settings/features.ts';
import { bind } from '../query/bind/bind.ts';
import { bindPage } from '../query/bind/bind-page.ts';
import { QueryBudget } from '../query/bind/context.ts';
import { type BoundQuery, populatesLocalizations } from '../query/bound.ts';
import { queryPolicies } from '../query/dialects.ts';
import { extractValues, Placeholders, withoutIgnored } from '../query/placeholders.ts';
import type { Binding, QueryPolicies, RouteContext } from '../query/policies.ts';
import { cacheControl, headerList, type ReplyHeaders } from '../query/reply/reply.ts';
import type { PaginationNode } from '../query/syntax/parameter-nodes.ts';
import { parseQuery, type RawQuery } from '../query/syntax/parse.ts';
import { parseTree, type QueryTree } from '../query/syntax/query-tree.ts';
import type { BoundRequest, Format, ReplyTemplate, RowKey } from './bound-request.ts';
import { AdmissionFilter } from './caches/admission-filter.ts';
import { PreparedQuery } from './prepared-query.ts';
import { answeredQuery, contextOf, effectiveQuery, listsAll, rowKeyOf } from './routes/route-rules.ts';
import { addTo, type QueryRoute } from './routes/routes.ts';

/** A prepared query that takes more bytes is not kept. */
const maxQueryBytes = 128 * 1024;

/** What binding needs of the content. */
interface BoundContent {
  readonly schema: Schema;
  readonly defaultLocale: string;
  readonly locales: ReadonlySet<string>;
}

/** What a query is bound with. */
interface BindInput {
  readonly route: QueryRoute;
  readonly context: RouteContext;
  readonly binding: Binding;
  readonly caller: Caller;
  readonly format: Format;
}

/**
 * Parses queries and binds them to the schema, and keeps prepared queries by their form. What it returns depends on its
 * arguments alone.
 */
export class QueryBinder {
  readonly #content: BoundContent;
  readonly #dialect: Dialect;
  readonly #policies: QueryPolicies;
  readonly #settings: Settings;
  readonly #features: Features;
  readonly #prepared: ByteBoundedCache<PreparedQuery>;
  /** The forms that were requested while the cache was full. Null if it never was. */
  #requested: AdmissionFilter | null = null;

  constructor(content: BoundContent, dialect: Dialect, settings: Settings) {
    const { schema } = content;
    this.#content = content;
    this.#dialect = dialect;
    this.#policies = queryPolicies(dialect, settings.drafts, settings.features);
    this.#settings = settings;
    this.#features = new Set(settings.features);
    this.#prepared = new ByteBoundedCache(settings.preparedBytes, (query) => query.bytes(schema), {
      maxEntrySize: maxQueryBytes,
    });
  }

  /** Keeps this part of the prepared queries from now on, from 0 to 1. */
  takeShare(share: number): void {
    this.#requested = null;
    this.#prepared.resize(Math.floor(this.#settings.preparedBytes * share));
  }

  /** Use and size of the cache of prepared queries. */
  get statistics(): CacheStatistics {
    return this.#prepared.statistics;
  }

  /** Returns the path of a route as a template, such as `/api/articles/:documentId`. */
  nameOf({ path }: { readonly path: string }): string {
    return `${this.#settings.prefix}/${path}`;
  }

  /**
   * Binds a query string with the site's additions, by a prepared query if it can. `callerKey` is equal for callers who
   * get the same replies. Throws a RequestError.
   */
  bind(route: QueryRoute, text: string, caller: Caller, callerKey: string, format: Format): BoundRequest {
    this.#checkLength(text);
    // the user of `me` differs from request to request, and a hook may rewrite any value
    const isPreparable = route.kind !== 'me' && route.addition?.hook === undefined;
    const extracted = isPreparable ? extractValues(text) : null;
    // where one entry is read, a filter's values may decide whether it is rejected
    if (extracted && (route.kind === 'list' || extracted.values.length === 0)) {
      const { form, values } = extracted;
      const prefix = `${callerKey} ${route.path} `;
      const prepared = this.#prepared.get(prefix + form) ?? this.#findPrepared(prefix, form, route, caller, format);
      if (prepared) return { template: prepared.template, query: prepared.fill(values), key: this.#keyOf(route, null) };
    }
    return this.bindQuery(route, this.parseWithAdditions(route, text, caller), caller, format);
  }

  /** Binds a query without adding anything to it. Throws a RequestError. */
  bindQuery(route: QueryRoute, query: RawQuery, caller: Caller, format: Format): BoundRequest {
    const tree = parseTree(effectiveQuery(route, query));
    const bound = this.#bind(this.#bindInput(route, caller, format), tree, tree.pagination, false);
    return { ...bound, key: this.#keyOf(route, caller.userId) };
  }

  #keyOf(route: QueryRoute, userId: number | null): RowKey | null {
    return rowKeyOf(route, userId, this.#policies.casts.looseId);
  }

  /** Parses the query string of a URL and adds the site's parameters. Throws a RequestError. */
  parseWithAdditions(route: QueryRoute, text: string, caller: Caller): RawQuery {
    return withAddition(route, this.parse(text), caller);
  }

  /** Parses a query string. Throws a RequestError. */
  parse(text: string): RawQuery {
    this.#checkLength(text);
    return this.#parse(text);
  }

  #checkLength(text: string): void {
    const { queryBytes } = this.#settings.budgets;
    if (text.length <= queryBytes) return;
    throw new UriTooLongError(`The query string takes more than ${queryBytes} bytes`, queryBytes, 'budgets.queryBytes');
  }

  #parse(text: string): RawQuery {
    const { arrayLimit, budgets } = this.#settings;
    const { errors, request } = this.#policies;
    return parseQuery(text, { ...budgets, arrayLimit }, errors, request.readLongLists);
  }

  /**
   * Returns the prepared query of a form without the parameters that the dialect ignores. Null if it is rejected, or if
   * the cache is full and does not admit the form. With more forms in turn than fit, preparing each of them again took 1.2
   * times as long as binding most.
   */
  #findPrepared(prefix: string, form: string, route: QueryRoute, caller: Caller, format: Format): PreparedQuery | null {
    const { arrayLimit, budgets } = this.#settings;
    const ignores = this.#policies.request.ignores;
    const effective = withoutIgnored(form, ignores, Math.min(arrayLimit, budgets.parameters));
    const key = prefix + effective;
    const known = effective === form ? undefined : this.#prepared.get(key);
    if (known) return known;
    if (this.#prepared.isFull) {
      this.#requested ??= new AdmissionFilter();
      if (!this.#requested.admits(key, true)) return null;
    }
    const prepared = this.#prepare(effective, route, caller, format);
    if (prepared) this.#prepared.set(key, prepared);
    return prepared;
  }

  /**
   * Binds a form, whose values are placeholders. Returns null if it is rejected: the message may have to name its values,
   * so the caller binds the query with them.
   */
  #prepare(form: string, route: QueryRoute, caller: Caller, format: Format): PreparedQuery | null {
    // mistakes in the query are reported before the missing permission, so the query is parsed once, with its values
    if (!caller.permissions.allows(route.action)) return null;
    try {
      const tree = parseTree(effectiveQuery(route, withAddition(route, this.#parse(form), caller)));
      const placeholders = new Placeholders();
      const input = this.#bindInput(route, caller, format, placeholders);
      // each request binds its own page
      const isPaged = input.context.paging === 'pagination';
      const [ofRequest, shared] = isPaged ? [tree.pagination, null] : [null, tree.pagination];
      const { template, query } = this.#bind(input, tree, shared, true);
      return new PreparedQuery(template, query, input.binding, { text: form, placeholders, pagination: ofRequest });
    } catch (error) {
      if (error instanceof RequestError) return null;
      throw error;
    }
  }

  /** Returns what a query of this route and caller is bound with. */
  #bindInput(route: QueryRoute, caller: Caller, format: Format, placeholders?: Placeholders): BindInput {
    checkPermission(route, caller);
    const { schema, defaultLocale, locales } = this.#content;
    const { defaultLimit, maxLimit, arrayLimit, budgets, facets } = this.#settings;
    const context = contextOf(route, schema.type(route.uid), this.#policies.page);
    const binding = {
      schema,
      defaultLocale,
      locales,
      policies: this.#policies,
      permissions: caller.permissions,
      defaultLimit,
      maxLimit,
      arrayLimit,
      countsFacets: facets,
      features: this.#features,
      budget: new QueryBudget(budgets),
      omitted: [],
      placeholders,
    };
    return { route, context, binding, caller, format };
  }

  /** Binds a query with the page of `pagination`. `isShared`: for a prepared query. */
  #bind(
    { route, context, binding, caller, format }: BindInput,
    tree: QueryTree,
    pagination: PaginationNode | null,
    isShared: boolean,
  ): { template: ReplyTemplate; query: BoundQuery } {
    const bound = bind(binding, context, tree);
    const page = bindPage(binding, { rootPage: tree.rootPage, pagination }, context.paging);
    const query = answeredQuery(route, { ...bound, page });
    const { omitted } = binding;
    const { dropsNeighbouringLocalizations, namesOmitted } = this.#dialect.reply;
    const headers: ReplyHeaders = {
      'Cache-Control': cacheControl(this.#settings.cacheControl, caller.role, route.uid),
      ...(namesOmitted && omitted.length > 0 && { 'X-Lectern-Omitted': headerList(omitted) }),
    };
    const template: ReplyTemplate = {
      route,
      routeName: this.nameOf(route),
      isShared,
      isWhole: listsAll(route, context, tree),
      format,
      omitted,
      countsUsers: caller.permissions.allows(`${userType}.find`),
      hidesLocalizations: dropsNeighbouringLocalizations && populatesLocalizations(query.selection),
      headers,
    };
    return { template, query };
  }
}

/** Throws if the caller may not use the route. */
function checkPermission({ kind, action }: QueryRoute, { permissions, role, userId }: Caller): void {
  if (!permissions.allows(action)) throw new ForbiddenError('Forbidden', { role, action });
  if (kind === 'me' && userId === null) throw new UnauthorizedError('Unauthorized');
}

function withAddition({ addition }: QueryRoute, query: RawQuery, { role }: Caller): RawQuery {
  return addition ? addTo(query, addition, role) : query;
}
