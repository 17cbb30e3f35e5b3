/** The path of a request: URL to route, query, task and, by way of the caches, bytes. executor.ts does the rest. */
import type { Caller } from './access/authenticate.ts';
import { Caches } from './cache.ts';
import type { Settings } from './config.ts';
import type { Dialect } from './dialect.ts';
import { ForbiddenError, NotFoundError, RequestError, UnauthorizedError } from './errors.ts';
import { Executor, type Format, type Task } from './executor.ts';
import { bind } from './query/bind.ts';
import type { Binding } from './query/binding.ts';
import type { BoundQuery } from './query/bound.ts';
import { queryKey } from './query/key.ts';
import { parseQuery, type RawQuery } from './query/parse.ts';
import { cacheControl } from './reply/cache-control.ts';
import { errorReply, jsonReply, type Reply } from './reply/reply.ts';
import { Routes, type Target } from './routes.ts';
import type { Store } from './store/store.ts';
import { type Explanation, Trace } from './trace.ts';

interface BoundTask {
  readonly task: Task;
  /** Paths of what was asked for and may not be read. */
  readonly omitted: readonly string[];
}

export class Engine {
  readonly store: Store;
  readonly routes: Routes;
  readonly dialect: Dialect;
  readonly #settings: Settings;
  readonly #caches: Caches;
  readonly #executor: Executor;

  constructor(store: Store, dialect: Dialect, settings: Settings) {
    this.store = store;
    this.dialect = dialect;
    this.routes = new Routes(store.schema, { usersInEnvelope: dialect.wrapsUsers });
    this.#settings = settings;
    this.#caches = new Caches(settings.cacheBytes);
    this.#executor = new Executor(store, dialect, settings.budgets, this.#caches);
  }

  /** Answers a URL: path and query string, the prefix included. A refused request is an answer too. */
  answer(url: string, caller: Caller, format: Format = 'flat'): Reply {
    const rights = `${caller.permissions.id} ${caller.role} ${format}`;
    const known = this.#caches.replyByUrl(rights, url);
    if (known) return known;
    let target: Target | null = null;
    try {
      const [path, text] = splitUrl(url);
      target = this.#route(path);
      const reply = this.read(target, parseQuery(text, this.#settings.arrayLimit), caller, format);
      if (target.read !== 'me') this.#caches.keepByUrl(rights, url, reply);
      return reply;
    } catch (error) {
      return refusal(error, target ? this.routes.template(target) : undefined);
    }
  }

  /** Answers what a route asks for. Throws a RequestError. */
  read(target: Target, query: RawQuery, caller: Caller, format: Format = 'flat'): Reply {
    const { task, omitted } = this.#bind(target, query, caller, format);
    const { read, list, identifier } = task.target;
    const key = () => {
      const route = `${format} ${read} ${list} ${JSON.stringify(identifier)} ${task.isWhole}`;
      return `${caller.permissions.id} ${caller.role} ${route} ${omitted.join()} ${queryKey(task.query)}`;
    };
    return this.#caches.reply(key, () => {
      const body = this.#executor.write(task);
      const headers: Record<string, string> = {
        'X-Lectern-Snapshot': this.store.version,
        'Cache-Control': cacheControl(this.#settings.cacheControl, caller.role, target.uid),
      };
      if (this.dialect.namesOmitted && omitted.length > 0) headers['X-Lectern-Omitted'] = encodeURI(omitted.join(', '));
      const template = this.routes.template(target);
      return body.length > 0
        ? jsonReply(200, body, headers, template)
        : { status: 204, headers, body, route: template };
    });
  }

  /** How a URL is answered: the plan of its filter and the time of each stage. Caches are passed by. */
  explain(url: string, caller: Caller): Explanation {
    const trace = new Trace();
    try {
      const [path, text] = splitUrl(url);
      const target = this.#route(path);
      const query = parseQuery(text, this.#settings.arrayLimit);
      trace.mark('parse');
      const { task } = this.#bind(target, query, caller, 'flat');
      trace.mark('bind');
      const { length } = this.#executor.write(task, trace);
      return { status: 200, plan: trace.plan, stages: trace.stages, bytes: length };
    } catch (error) {
      const { status, body } = refusal(error);
      return { status, plan: body.toString(), stages: trace.stages, bytes: body.length };
    }
  }

  /** The query as the caller may see it, and what of it was left out. Throws a RequestError. */
  #bind(target: Target, query: RawQuery, { permissions, userId }: Caller, format: Format): BoundTask {
    if (!permissions.allows(target.action)) throw new ForbiddenError();
    if (target.read === 'me' && userId === null) throw new UnauthorizedError('Unauthorized');
    const omitted: string[] = [];
    const { defaultLimit, maxLimit } = this.#settings;
    const { dialect } = this;
    const { schema, defaultLocale } = this.store;
    const isBare = target.list === 'bare';
    const isPaged = target.read === 'list' && !isBare;
    const elsewhere = target.onlyPopulates || !dialect.pagesAtRoot ? 'none' : 'root';
    const paging = isPaged || (isBare && !dialect.pagesAtRoot) ? 'pagination' : elsewhere;
    const binding: Binding = { schema, dialect, permissions, defaultLimit, maxLimit, defaultLocale, omitted };
    const asked = target.ignoresQuery ? {} : query;
    const bound = bind(binding, schema.type(target.uid), asked, {
      isList: isPaged,
      isOne: target.read !== 'list' && !target.onlyPopulates,
      paging,
      namesDocument: target.read === 'document',
      ofEveryStatus: !target.uid.startsWith('api::'),
    });
    const identifier = target.read === 'me' ? String(userId) : target.identifier;
    const task: Task = {
      target: { ...target, identifier },
      query: target.onlyPopulates ? onlyPopulated(bound) : bound,
      isWhole: target.ignoresQuery || (isBare && paging === 'pagination' && asked.pagination === undefined),
      format,
    };
    return { task, omitted };
  }

  #route(path: string): Target {
    const { prefix } = this.#settings;
    const target = path.startsWith(`${prefix}/`) ? this.routes.find(path.slice(prefix.length + 1)) : null;
    if (!target) throw new NotFoundError();
    return target;
  }
}

/** A query that has been checked whole, and of which only what is populated counts. */
function onlyPopulated(query: BoundQuery): BoundQuery {
  return { ...query, filter: null, sort: [], selection: { ...query.selection, fields: null } };
}

/** The error as an answer; anything but a refused request is thrown on. */
export function refusal(error: unknown, route?: string): Reply {
  if (!(error instanceof RequestError)) throw error;
  return errorReply(error, route);
}

/** Path, decoded, and query string. A path that cannot be decoded leads nowhere. */
function splitUrl(url: string): [path: string, text: string] {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const text = mark < 0 ? '' : url.slice(mark + 1);
  try {
    // an encoded slash is part of a name, not a border between two
    return [path.includes('%') ? path.split('/').map(decodeURIComponent).join('/') : path, text];
  } catch {
    throw new NotFoundError();
  }
}
