import type { Caller } from '../access/authenticate.ts';
import type { Dialect } from '../base/dialect.ts';
import { ForbiddenError, RequestError, UnauthorizedError, UriTooLongError } from '../base/errors.ts';
import type { Settings } from '../config/config.ts';
import { type Schema, userType } from '../model/schema.ts';
import { addTo } from '../query/addition.ts';
import { bind } from '../query/bind/bind.ts';
import { bindPage, bindPagination } from '../query/bind/bind-page.ts';
import type { Binding } from '../query/bind/binding.ts';
import { QueryBudget } from '../query/bind/query-budget.ts';
import { type BoundQuery, populatesLocalizations } from '../query/bound.ts';
import { boundBytes, dataBytes } from '../query/bound-size.ts';
import { queryPolicies } from '../query/dialects.ts';
import { extractParameters, Placeholders, withParameters } from '../query/parameters.ts';
import type { QueryPolicies, RouteContext } from '../query/policies.ts';
import type { PaginationNode } from '../query/syntax/parameter-nodes.ts';
import { parseQuery, type RawQuery } from '../query/syntax/parse.ts';
import { parseTree, type QueryTree } from '../query/syntax/query-tree.ts';
import { cacheControl } from '../reply/cache-control.ts';
import { headerList } from '../reply/header-list.ts';
import type { ReplyHeaders } from '../reply/reply.ts';
import { ByteBoundedCache, type CacheStatistics } from './byte-bounded-cache.ts';
import type { Format, PreparedQuery, PreparedRequest } from './prepared-query.ts';
import { answeredQuery, contextOf, effectiveQuery, keyOf, listsAll } from './route-context.ts';
import type { QueryRoute } from './routes.ts';

/** Returns `pagination` with the values of a request in place of placeholders. */
type PaginationFiller = (values: readonly string[]) => PaginationNode;

/** A prepared query with what filling in the values of a request needs. */
interface CachedQuery {
  readonly prepared: PreparedQuery;
  readonly binding: Binding;
  /** Null if the route or the query has no `pagination`. */
  readonly fillPagination: PaginationFiller | null;
  readonly placeholders: Placeholders;
  /** Estimated bytes, the compiled half included. */
  readonly bytes: number;
}

/** Byte budget of all prepared queries. Most take a few thousand bytes; a site has one for each kind of request. */
const cacheBytes = 16 * 2 ** 20;
/** A prepared query that takes more is not kept. */
const maxQueryBytes = 128 * 1024;
/** Bytes of a prepared query without parameters: its objects, and the headers of its replies as they are sent. */
const emptyQueryBytes = 3200;

/** What binding needs of the content. */
interface BoundContent {
  readonly schema: Schema;
  readonly defaultLocale: string;
  readonly locales: ReadonlySet<string>;
}

/** Binds requests to the schema, and caches prepared queries. */
export class RequestBinder {
  readonly #content: BoundContent;
  readonly #dialect: Dialect;
  readonly #policies: QueryPolicies;
  readonly #settings: Settings;
  readonly #prepared = new ByteBoundedCache<CachedQuery>(cacheBytes, ({ bytes }) => bytes, maxQueryBytes);

  constructor(content: BoundContent, dialect: Dialect, settings: Settings) {
    this.#content = content;
    this.#dialect = dialect;
    this.#policies = queryPolicies(dialect);
    this.#settings = settings;
  }

  get statistics(): CacheStatistics {
    return this.#prepared.statistics;
  }

  /** Binds a query string. `rights` is equal for callers who get the same replies. Throws a RequestError. */
  fromUrl(route: QueryRoute, text: string, caller: Caller, rights: string, format: Format): PreparedRequest {
    this.#checkLength(text);
    // the user of `me` differs from request to request, and a hook may rewrite any value
    const isPreparable = route.kind !== 'me' && route.addition?.hook === undefined;
    const parameterized = isPreparable ? extractParameters(text) : null;
    // where one entry is read, a filter's values may decide whether it is rejected
    if (parameterized && (route.kind === 'list' || parameterized.values.length === 0)) {
      const { form, values } = parameterized;
      const key = `${rights} ${route.path} ${form}`;
      const known = this.#prepared.get(key) ?? this.#prepare(key, route, form, caller, format);
      if (known) return filled(known, route, values);
    }
    return this.fromQuery(route, this.#read(route, text, caller), caller, format);
  }

  /** Parses the query of a URL and adds the site's parameters to it. Throws a RequestError. */
  read(route: QueryRoute, text: string, caller: Caller): RawQuery {
    this.#checkLength(text);
    return this.#read(route, text, caller);
  }

  /** Parses a query string. Throws a RequestError. */
  parse(text: string): RawQuery {
    this.#checkLength(text);
    return this.#parse(text);
  }

  #read({ addition }: QueryRoute, text: string, { role }: Caller): RawQuery {
    const query = this.#parse(text);
    return addition ? addTo(query, addition, role) : query;
  }

  /** Checks the whole query string, not its form without parameters, whose length differs. */
  #checkLength(text: string): void {
    const { queryBytes } = this.#settings.budgets;
    if (text.length <= queryBytes) return;
    throw new UriTooLongError(`The query string takes more than ${queryBytes} bytes`, queryBytes, 'budgets.queryBytes');
  }

  #parse(text: string): RawQuery {
    const { arrayLimit, budgets } = this.#settings;
    const { messages, request } = this.#policies;
    return parseQuery(text, { ...budgets, arrayLimit }, messages, request.readLongLists);
  }

  /** Binds a query without adding anything to it. Throws a RequestError. */
  fromQuery(route: QueryRoute, query: RawQuery, caller: Caller, format: Format): PreparedRequest {
    const tree = parseTree(effectiveQuery(route, query));
    const context = this.#contextOf(route);
    const binding = this.#bindingFor(route, caller);
    const bound = { ...bind(binding, context, tree), page: bindPage(binding, tree, context.paging) };
    const prepared = this.#preparedQuery(route, bound, context, tree, caller, format, binding.omitted);
    return { prepared, isReusable: false, query: prepared.query, key: keyOf(route, caller.userId) };
  }

  /** Binds a form and keeps it. Returns null if it is rejected: the message may have to name its parameters. */
  #prepare(key: string, route: QueryRoute, form: string, caller: Caller, format: Format): CachedQuery | null {
    try {
      const placeholders = new Placeholders();
      const tree = parseTree(effectiveQuery(route, this.#read(route, form, caller)));
      const context = this.#contextOf(route);
      const binding = this.#bindingFor(route, caller, placeholders);
      const pagination = context.paging === 'pagination' ? tree.pagination : null;
      // each request binds its own page in place of this one
      const page = bindPage(binding, pagination ? { ...tree, pagination: null } : tree, context.paging);
      const bound = { ...bind(binding, context, tree), page };
      const prepared = this.#preparedQuery(route, bound, context, tree, caller, format, binding.omitted);
      const bytes =
        emptyQueryBytes +
        // the parsed query refers to parts of the text, and so holds it a second time
        2 * form.length +
        boundBytes(binding.schema, prepared.query) +
        dataBytes(prepared.omitted) +
        dataBytes(pagination?.raw);
      const fillPagination = pagination && createPaginationFiller(pagination);
      const cached = { prepared, binding, fillPagination, placeholders, bytes };
      this.#prepared.set(key, cached);
      return cached;
    } catch (error) {
      if (error instanceof RequestError) return null;
      throw error;
    }
  }

  /** Throws if the caller may not use the route. */
  #bindingFor({ kind, action }: QueryRoute, caller: Caller, placeholders?: Placeholders): Binding {
    const { permissions, role, userId } = caller;
    if (!permissions.allows(action)) throw new ForbiddenError('Forbidden', { role, action });
    if (kind === 'me' && userId === null) throw new UnauthorizedError('Unauthorized');
    const { defaultLimit, maxLimit, arrayLimit, budgets } = this.#settings;
    return {
      ...this.#content,
      policies: this.#policies,
      permissions,
      defaultLimit,
      maxLimit,
      arrayLimit,
      budget: new QueryBudget(budgets),
      omitted: [],
      placeholders,
    };
  }

  #contextOf(route: QueryRoute): RouteContext {
    return contextOf(route, this.#content.schema.type(route.uid), this.#policies.page);
  }

  #preparedQuery(
    route: QueryRoute,
    bound: BoundQuery,
    context: RouteContext,
    tree: QueryTree,
    { permissions, role }: Caller,
    format: Format,
    omitted: readonly string[],
  ): PreparedQuery {
    const { prefix } = this.#settings;
    const query = answeredQuery(route, bound);
    const { dropsNeighbouringLocalizations, namesOmitted } = this.#dialect.reply;
    const headers: ReplyHeaders = {
      'Cache-Control': cacheControl(this.#settings.cacheControl, role, route.uid),
      ...(namesOmitted && omitted.length > 0 && { 'X-Lectern-Omitted': headerList(omitted) }),
    };
    return {
      route,
      name: `${prefix}/${route.path}`,
      query,
      isWhole: listsAll(route, context, tree),
      format,
      omitted,
      countsUsers: permissions.allows(`${userType}.find`),
      hidesLocalizations: dropsNeighbouringLocalizations && populatesLocalizations(query.selection),
      headers,
    };
  }
}

/** Fills the values of a request into a prepared query. Throws what their casts throw. */
function filled(
  { prepared, binding, fillPagination, placeholders }: CachedQuery,
  route: QueryRoute,
  values: readonly string[],
): PreparedRequest {
  const { filter, page } = prepared.query;
  const query = {
    ...prepared.query,
    filter: filter && placeholders.bind(filter, values),
    page: fillPagination ? bindPagination(binding, fillPagination(values)) : page,
  };
  return { prepared, isReusable: true, query, key: keyOf(route, null) };
}

function createPaginationFiller({ members, raw }: PaginationNode): PaginationFiller {
  if (members === null) return (values) => ({ members, raw: withParameters(raw, values) });
  // parsed objects have no prototype, and listing their entries is slow
  const entries = Object.entries(members);
  return (values) => {
    const filled: Record<string, unknown> = {};
    for (const [name, value] of entries) filled[name] = withParameters(value, values);
    return { members: filled, raw: filled };
  };
}
