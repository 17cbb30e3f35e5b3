/** The path of a request: URL to route, query, task and, by way of the caches, bytes. executor.ts does the rest. */
import { type Caller, tokenRole } from '../access/authenticate.ts';
import { allPermissions } from '../access/permissions.ts';
import type { Dialect } from '../base/dialect.ts';
import { ForbiddenError, NotFoundError, RequestError, withMissingPermission } from '../base/errors.ts';
import type { Settings } from '../config/config.ts';
import { prepare } from '../derived/prepare.ts';
import type { WrittenType } from '../model/describe-types.ts';
import type { Additions } from '../query/addition.ts';
import { queryKey } from '../query/key.ts';
import type { RawQuery } from '../query/syntax/parse.ts';
import { copyOut } from '../reply/buffer-pool.ts';
import { cacheControl, noStore } from '../reply/cache-control.ts';
import { headerList } from '../reply/header-list.ts';
import { errorReply, jsonHeaders, type Reply } from '../reply/reply.ts';
import { SchemaReplies } from '../reply/schema-replies.ts';
import type { Store } from '../store/store.ts';
import { type CacheStatistics, Caches } from './caches.ts';
import { Executor } from './executor.ts';
import { type ConfigurableRoute, inEveryLocale, type Route, Routes } from './routes.ts';
import { type Format, type PreparedRequest, RequestBinder } from './tasks.ts';
import { type Explanation, Trace } from './trace.ts';

export class Engine {
  readonly store: Store;
  readonly routes: Routes;
  readonly dialect: Dialect;
  readonly #settings: Settings;
  readonly #caches: Caches;
  readonly #executor: Executor;
  readonly #tasks: RequestBinder;
  readonly #schemas: SchemaReplies;
  /** By `Cache-Control`, of which the settings hold a few. */
  readonly #commonHeaders = new Map<string, Reply['headers']>();

  /** `additions` is what the site adds to queries that come as URLs. */
  constructor(
    store: Store,
    dialect: Dialect,
    settings: Settings,
    additions?: Additions,
    types: readonly WrittenType[] = [],
  ) {
    this.store = store;
    this.dialect = dialect;
    prepare(store, dialect.derived);
    this.routes = new Routes(store.schema, { ...dialect.routes, additions });
    this.#settings = settings;
    this.#caches = new Caches(settings.cacheBytes);
    this.#executor = new Executor(store, dialect, settings.budgets, this.#caches);
    this.#tasks = new RequestBinder(store, dialect, settings);
    this.#schemas = new SchemaReplies(types);
    this.#warmUp();
  }

  /** How the caches have served. */
  get cacheFigures(): Record<'url' | 'query' | 'rows' | 'templates' | 'ready', CacheStatistics> {
    return {
      ...this.#caches.statistics,
      templates: this.#tasks.statistics,
      ready: this.#executor.readyFigures,
    };
  }

  /** Answers a URL: path and query string, the prefix included. A refused request is an answer too. */
  answer(url: string, caller: Caller, format: Format = 'flat'): Reply {
    const rights = `${caller.permissions.id} ${caller.role} ${format}`;
    const address = `${rights} ${url}`;
    const known = this.#caches.replyByUrl(address);
    if (known) return known;
    let target: Route | undefined;
    try {
      const [path, text] = splitUrl(url);
      target = this.#route(path);
      if (target.read === 'schemas') return this.#describe(target, text, caller);
      if (target.read === 'single' && this.#listsLocales(target, text)) target = inEveryLocale(target);
      const task = this.#tasks.fromUrl(target, text, caller, rights, format);
      if (target.read === 'me' || !this.#caches.isAskedAgain(address)) return this.#reply(task, caller.role);
      const reply = this.#kept(task, caller.role, rights);
      this.#caches.keepByUrl(address, reply);
      return reply;
    } catch (error) {
      return refusal(error, target && this.#nameOf(target));
    }
  }

  /** A query string as data. Throws a RequestError. */
  parse(text: string): RawQuery {
    return this.#tasks.parse(text);
  }

  /** Throws a RequestError for a query that is refused whoever asks. */
  check({ target }: ConfigurableRoute, query: RawQuery): void {
    this.#tasks.fromQuery(target, query, { permissions: allPermissions(), role: tokenRole, userId: 0 }, 'flat');
  }

  /** The body that a query gives. Throws a RequestError. */
  read(target: Route, query: RawQuery, caller: Caller): Buffer {
    return this.#executor.write(this.#tasks.fromQuery(target, query, caller, 'flat'));
  }

  /** The reply to a task, from the cache of replies by query, where it then is. */
  #kept(task: PreparedRequest, role: string, rights: string): Reply {
    const { target, query, isWhole, omitted } = task;
    const asked = JSON.stringify([target.route, target.identifier, isWhole, omitted]);
    return this.#caches.reply(`${rights} ${asked} ${queryKey(query)}`, () => {
      const reply = this.#reply(task, role);
      return { ...reply, body: copyOut(reply.body) };
    });
  }

  #reply(task: PreparedRequest, role: string): Reply {
    const body = this.#executor.write(task);
    const { shared } = task;
    const route = (shared.route ??= this.#nameOf(task.target));
    if (body.length === 0) return { status: 204, headers: this.#headers(task, role), body, route };
    const headers = (shared.headers ??= this.#jsonHeaders(task, role));
    return { status: 200, headers, body, route };
  }

  #listsLocales({ uid }: Route, text: string): boolean {
    return this.dialect.routes.listsEveryLocale(text) && this.store.schema.type(uid).localized;
  }

  /** The types of the content. Throws a RequestError. */
  #describe(target: Route, text: string, caller: Caller): Reply {
    const { describes, identifier, action } = target;
    if (!caller.permissions.allows(action)) throw new ForbiddenError('Forbidden', { role: caller.role, action });
    const { kind } = this.#tasks.parse(text);
    const { status, body } = this.#schemas.answer({ sort: describes!, uid: identifier, kind });
    const headers: Record<string, string> = { ...jsonHeaders, ...this.#headers({ target, omitted: [] }, caller.role) };
    if (status !== 200) headers['Cache-Control'] = noStore;
    return { status, headers, body, route: this.#nameOf(target) };
  }

  #nameOf({ route }: Route): string {
    return `${this.#settings.prefix}/${route}`;
  }

  /** Replies that omit nothing share their headers, so that caches of them hold each only once. */
  #jsonHeaders(task: PreparedRequest, role: string): Reply['headers'] {
    const headers: Record<string, string> = { ...jsonHeaders, ...this.#headers(task, role) };
    if (headers['X-Lectern-Omitted']) return headers;
    const known = this.#commonHeaders.get(headers['Cache-Control']);
    if (!known) this.#commonHeaders.set(headers['Cache-Control'], headers);
    return known ?? headers;
  }

  #headers({ target, omitted }: Pick<PreparedRequest, 'target' | 'omitted'>, role: string): Record<string, string> {
    const headers: Record<string, string> = {
      'X-Lectern-Snapshot': this.store.version,
      'Cache-Control': cacheControl(this.#settings.cacheControl, role, target.uid),
    };
    if (this.dialect.reply.namesOmitted && omitted.length > 0) headers['X-Lectern-Omitted'] = headerList(omitted);
    return headers;
  }

  /** How a URL is answered: the plan of its filter and the time of each stage. Caches are passed by. */
  explain(url: string, caller: Caller): Explanation {
    const trace = new Trace(this.#settings.budgets.steps);
    try {
      const [path, text] = splitUrl(url);
      const target = this.#route(path);
      if (target.read === 'schemas') {
        const { status, body } = this.#describe(target, text, caller);
        return { status, plan: 'no query: the types are described', stages: trace.stages, bytes: body.length };
      }
      const query = this.#tasks.read(target, text, caller);
      trace.mark('parse');
      const task = this.#tasks.fromQuery(target, query, caller, 'flat');
      trace.mark('bind');
      const { length } = this.#executor.write(task, trace);
      return { status: 200, plan: trace.plan, stages: trace.stages, bytes: length };
    } catch (error) {
      const { status, body } = refusal(withMissingPermission(error));
      return { status, plan: body.toString(), stages: trace.stages, bytes: body.length };
    }
  }

  /** Reads every route once, so that nobody's first request makes the row sets that are kept ready. */
  #warmUp(): void {
    for (const uid of this.store.byUid.keys()) {
      const path = this.routes.pathOf(uid);
      if (path === null) continue;
      try {
        this.read(this.routes.find(path)!, {}, { permissions: allPermissions(), role: tokenRole, userId: null });
      } catch (error) {
        // a single type without its entry, or a list that passes a budget
        if (!(error instanceof RequestError)) throw error;
      }
    }
  }

  /** Whether a URL, the prefix included, is a route of the content. */
  hasRoute(url: string): boolean {
    return this.#target(splitUrl(url)[0]) !== null;
  }

  #route(path: string): Route {
    const target = this.#target(path);
    if (!target) throw new NotFoundError();
    return target;
  }

  #target(path: string): Route | null {
    const { prefix } = this.#settings;
    if (!path.includes('%'))
      return path.startsWith(`${prefix}/`) ? this.routes.find(path.slice(prefix.length + 1)) : null;
    // an encoded slash is part of a name, not a border between two
    const parts = decodedParts(path);
    const inPrefix = prefix.split('/').length;
    return parts.slice(0, inPrefix).join('/') === prefix ? this.routes.findParts(parts.slice(inPrefix)) : null;
  }
}

/** The error as an answer; anything but a refused request is thrown on. */
export function refusal(error: unknown, route?: string): Reply {
  if (!(error instanceof RequestError)) throw error;
  return errorReply(error, route);
}

/** Path, as it is encoded, and query string. */
function splitUrl(url: string): [path: string, text: string] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** The names in a path. There are none in one that cannot be decoded. */
function decodedParts(path: string): string[] {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return [];
  }
}
