/** Route and query string to a task: what is to be answered, after everything that could be refused has been. */
import type { Caller } from '../access/authenticate.ts';
import type { Dialect } from '../base/dialect.ts';
import { ForbiddenError, RequestError, UnauthorizedError, UriTooLongError } from '../base/errors.ts';
import type { Settings } from '../config/config.ts';
import { userType } from '../model/schema.ts';
import { addTo } from '../query/addition.ts';
import { bind } from '../query/bind/bind.ts';
import { bindPage } from '../query/bind/bind-page.ts';
import type { Binding } from '../query/bind/binding.ts';
import { QueryBudget } from '../query/bind/query-budget.ts';
import type { BoundQuery } from '../query/bound.ts';
import { boundBytes, dataBytes } from '../query/bound-size.ts';
import { queryPolicies } from '../query/dialects.ts';
import type { QueryPolicies, RouteContext } from '../query/policies.ts';
import { parseQuery, type RawQuery } from '../query/syntax/parse.ts';
import { isPlainObject } from '../query/syntax/raw-value.ts';
import { Placeholders, templateOf, valueAt } from '../query/template.ts';
import type { EntryProjection, SharedParts } from '../reply/projection.ts';
import type { Reply } from '../reply/reply.ts';
import { localesOf } from '../store/locales.ts';
import type { Store } from '../store/store.ts';
import { ByteBoundedCache, type CacheStatistics } from './caches.ts';
import type { Route } from './routes.ts';

/** `nested`: fields in `attributes` and relations in `data`, as version 4 of the service wrote its own types. */
export type Format = 'flat' | 'nested';

export interface PreparedRequest {
  readonly target: Route;
  readonly query: BoundQuery;
  /** All entries are listed, not a page of them. */
  readonly isWhole: boolean;
  readonly format: Format;
  /** Paths of what was asked for and may not be read. */
  readonly omitted: readonly string[];
  /** The caller may list users, and so may know how many there are in each role. */
  readonly countsUsers: boolean;
  /** What all tasks of one template share, once it has been made. */
  readonly shared: {
    /** Localizations are populated, of which those that stand beside their entry are left out. */
    hidesLocalizations?: boolean;
    parts?: SharedParts;
    shape?: EntryProjection;
    headers?: Reply['headers'];
    route?: Reply['route'];
    /** How long the last reply was. */
    bytes?: number;
  };
}

/** Gives a parameter with values in the place of its tokens. */
type Filling = (values: readonly string[]) => unknown;

/** A query string whose names have been resolved, but for the values that come with each request. */
interface BoundTemplate {
  readonly task: PreparedRequest;
  readonly binding: Binding;
  readonly asked: RouteContext;
  /** What `pagination` says, with tokens in place of values; undefined where no value of it comes with a request. */
  readonly pagination: Filling | undefined;
  readonly slots: Placeholders;
  /** What the template takes in memory with all that answering attaches to `task.shared`, estimated when it is bound. */
  readonly bytes: number;
}

/** Bytes that templates may take, about; most take a few thousand. A site has as many as it has kinds of requests. */
const templateBytes = 16 * 2 ** 20;
/** A template that would take more is not kept. */
const largestTemplate = 128 * 1024;
/** Bytes of a template whose query says nothing: its objects, and the headers of its replies, put in order. */
const emptyTemplate = 3072;

export class RequestBinder {
  readonly #store: Store;
  readonly #policies: QueryPolicies;
  readonly #settings: Settings;
  readonly #locales: ReadonlySet<string>;
  readonly #templates = new ByteBoundedCache<BoundTemplate>(templateBytes, ({ bytes }) => bytes, largestTemplate);

  constructor(store: Store, dialect: Dialect, settings: Settings) {
    this.#store = store;
    this.#policies = queryPolicies(dialect);
    this.#settings = settings;
    this.#locales = localesOf(store);
  }

  /** How templates have served. */
  get statistics(): CacheStatistics {
    return this.#templates.statistics;
  }

  /** The task of a query string; `rights` tells callers apart. Throws a RequestError. */
  fromUrl(target: Route, text: string, caller: Caller, rights: string, format: Format): PreparedRequest {
    this.#checkLength(text);
    const isFixed = target.read === 'me' || target.addition?.hook !== undefined;
    const template = isFixed ? null : templateOf(text);
    // where one entry is asked for, whether a filter is refused may lie in its values
    if (template && (target.read === 'list' || template.values.length === 0)) {
      const key = `${rights} ${target.route} ${template.shape}`;
      const known = this.#templates.get(key) ?? this.#bindTemplate(key, target, template.shape, caller, format);
      if (known) return filled(known, target, template.values);
    }
    return this.fromQuery(target, this.#read(target, text, caller), caller, format);
  }

  /** The query of a URL as data, with what the site adds to the route. Throws a RequestError. */
  read(target: Route, text: string, caller: Caller): RawQuery {
    this.#checkLength(text);
    return this.#read(target, text, caller);
  }

  /** A query string as data. Throws a RequestError. */
  parse(text: string): RawQuery {
    this.#checkLength(text);
    return this.#parse(text);
  }

  #read({ addition }: Route, text: string, { role }: Caller): RawQuery {
    const query = this.#parse(text);
    return addition ? addTo(query, addition, role) : query;
  }

  /** Of the whole text and not of its template, which is longer or shorter. */
  #checkLength(text: string): void {
    const { queryBytes } = this.#settings.budgets;
    if (text.length <= queryBytes) return;
    throw new UriTooLongError(`The query string takes more than ${queryBytes} bytes`, queryBytes, 'budgets.queryBytes');
  }

  #parse(text: string): RawQuery {
    const { arrayLimit, budgets } = this.#settings;
    const { messages, request } = this.#policies;
    return parseQuery(text, { ...budgets, arrayLimit }, messages, request.numbersLongLists);
  }

  /** The task of a query, to which nothing is added. Throws a RequestError. */
  fromQuery(target: Route, query: RawQuery, caller: Caller, format: Format): PreparedRequest {
    const { binding, asked, given } = this.#ask(target, query, caller);
    const bound = { ...bind(binding, asked, given), page: bindPage(binding, given, asked.paging) };
    return taskOf(target, bound, asked, given, caller, format, binding.omitted);
  }

  /** The template, bound and kept. Null if it is refused: then its values may belong into the message. */
  #bindTemplate(key: string, target: Route, shape: string, caller: Caller, format: Format): BoundTemplate | null {
    try {
      const slots = new Placeholders();
      const { binding, asked, given } = this.#ask(target, this.#read(target, shape, caller), caller, slots);
      const isPaged = asked.paging === 'pagination' && given.pagination !== undefined;
      // the page of each request takes the place of this one
      const page = bindPage(binding, isPaged ? { ...given, pagination: undefined } : given, asked.paging);
      const task = taskOf(
        target,
        { ...bind(binding, asked, given), page },
        asked,
        given,
        caller,
        format,
        binding.omitted,
      );
      const pagination = isPaged ? fillingOf(given.pagination) : undefined;
      const bytes =
        emptyTemplate +
        // the parsed query refers to parts of the text, and so holds it a second time
        2 * shape.length +
        boundBytes(binding.schema, task.query) +
        dataBytes(task.omitted) +
        (isPaged ? dataBytes(given.pagination) : 0);
      const template = { task, binding, asked, pagination, slots, bytes };
      this.#templates.set(key, template);
      return template;
    } catch (error) {
      if (error instanceof RequestError) return null;
      throw error;
    }
  }

  /** What a route asks for and as whom; the query as far as it says something to the route. */
  #ask(
    target: Route,
    query: RawQuery,
    { permissions, role, userId }: Caller,
    slots?: Placeholders,
  ): { binding: Binding; asked: RouteContext; given: RawQuery } {
    if (!permissions.allows(target.action)) throw new ForbiddenError('Forbidden', { role, action: target.action });
    if (target.read === 'me' && userId === null) throw new UnauthorizedError('Unauthorized');
    const { defaultLimit, maxLimit, arrayLimit, budgets } = this.#settings;
    const budget = new QueryBudget(budgets);
    const { schema, defaultLocale } = this.#store;
    const policies = this.#policies;
    const isBare = target.list === 'bare';
    const isPaged = target.read === 'list' && !isBare;
    const withoutPages = target.onlyPopulates ? 'none' : policies.page.pagingWithoutPages(isBare);
    return {
      binding: {
        schema,
        policies,
        locales: this.#locales,
        permissions,
        defaultLimit,
        maxLimit,
        arrayLimit,
        defaultLocale,
        budget,
        omitted: [],
        slots,
      },
      asked: {
        type: schema.type(target.uid),
        isList: isPaged,
        isOne: target.read !== 'list' && !target.onlyPopulates,
        paging: isPaged ? 'pagination' : withoutPages,
        namesDocument: target.read === 'document',
        namesRow: target.isById === true,
        ofEveryStatus: !target.uid.startsWith('api::'),
      },
      given: target.ignoresQuery ? {} : query,
    };
  }
}

function taskOf(
  target: Route,
  bound: BoundQuery,
  asked: RouteContext,
  given: RawQuery,
  { userId, permissions }: Caller,
  format: Format,
  omitted: readonly string[],
): PreparedRequest {
  const isBare = target.list === 'bare' && asked.paging === 'pagination';
  return {
    target: target.read === 'me' ? { ...target, identifier: String(userId) } : target,
    query: target.onlyPopulates ? onlyPopulated(bound) : bound,
    isWhole: target.ignoresQuery === true || target.list === 'whole' || (isBare && given.pagination === undefined),
    format,
    omitted,
    countsUsers: permissions.allows(`${userType}.find`),
    shared: {},
  };
}

/** The task of a template with the values of one request. Throws what their casts throw. */
function filled(
  { task, binding, asked, pagination, slots }: BoundTemplate,
  target: Route,
  values: readonly string[],
): PreparedRequest {
  const { filter, page } = task.query;
  const query = {
    ...task.query,
    filter: filter && slots.fill(filter, values),
    page: pagination === undefined ? page : bindPage(binding, { pagination: pagination(values) }, asked.paging),
  };
  return { ...task, target, query };
}

/** How to put values in the place of the tokens in `pagination`. */
function fillingOf(pagination: unknown): Filling {
  if (!isPlainObject(pagination)) return (values) => valueAt(pagination, values);
  // what has no prototype gives its entries slowly
  const tokens = Object.entries(pagination);
  return (values) => {
    const named: Record<string, unknown> = {};
    for (const [name, token] of tokens) named[name] = valueAt(token, values);
    return named;
  };
}

/** A query that has been checked whole, and of which only what is populated counts. */
function onlyPopulated(query: BoundQuery): BoundQuery {
  return { ...query, filter: null, sort: [], selection: { ...query.selection, fields: null } };
}
