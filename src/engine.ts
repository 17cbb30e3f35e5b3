/** The whole path of a request, from URL to bytes, on one screen. */
import type { Caller } from './access/authenticate.ts';
import { Caches, type Matching } from './cache.ts';
import type { Settings } from './config.ts';
import type { Dialect } from './dialect.ts';
import { ForbiddenError, NotFoundError, RequestError, UnauthorizedError } from './errors.ts';
import { planAll, planFilter, planSet } from './plan/planner.ts';
import { bind } from './query/bind.ts';
import type { Binding } from './query/binding.ts';
import { type BoundQuery, type Condition, populatesLocalizations } from './query/bound.ts';
import { queryKey, rowsKey } from './query/key.ts';
import { parseQuery, type RawQuery } from './query/parse.ts';
import { writeEntries, writeEntry } from './reply/entries.ts';
import { pageMeta } from './reply/envelope.ts';
import { entryMark } from './reply/mark.ts';
import { errorReply, jsonReply, type Reply } from './reply/reply.ts';
import { type EntryShape, shapeEntry } from './reply/shape.ts';
import { ReplyWriter } from './reply/writer.ts';
import { Routes, type Target } from './routes.ts';
import { pageOf } from './run/page.ts';
import { runPlan } from './run/rows.ts';
import { asBitSet, countRows } from './sets/rows.ts';
import { type Collection, rowsOfStatus } from './store/collection.ts';
import { ReadyRows, type Visibility } from './store/ready-rows.ts';
import { collectionOf, type Store, type View } from './store/store.ts';

/** `nested`: fields in `attributes` and relations in `data`, as version 4 of the service wrote its own types. */
export type Format = 'flat' | 'nested';

/** `name` tells views apart that see different rows. */
interface RequestView extends View {
  readonly name: string;
}

const noRows: Matching = { rows: new Uint32Array(0), count: 0 };

export class Engine {
  readonly store: Store;
  readonly routes: Routes;
  readonly dialect: Dialect;
  readonly #settings: Settings;
  readonly #caches: Caches;
  readonly #ready = new ReadyRows();

  constructor(store: Store, dialect: Dialect, settings: Settings) {
    this.store = store;
    this.dialect = dialect;
    this.routes = new Routes(store.schema, { usersInEnvelope: dialect.wrapsUsers });
    this.#settings = settings;
    this.#caches = new Caches(settings.cacheBytes);
  }

  /** Answers a URL: path and query string, the prefix included. A refused request is an answer too. */
  answer(url: string, caller: Caller, format: Format = 'flat'): Reply {
    const { permissions } = caller;
    const cacheKey = `${permissions.id} ${format}`;
    const known = this.#caches.replyByUrl(cacheKey, url);
    if (known) return known;
    try {
      const [path, text] = splitUrl(url);
      const target = this.#route(path);
      const reply = this.read(target, parseQuery(text, this.#settings.arrayLimit), caller, format);
      if (target.read !== 'me') this.#caches.keepByUrl(cacheKey, url, reply);
      return reply;
    } catch (error) {
      return refusal(error);
    }
  }

  /** Answers what a route asks for. Throws a RequestError. */
  read(target: Target, query: RawQuery, caller: Caller, format: Format = 'flat'): Reply {
    const { permissions, userId } = caller;
    if (!permissions.allows(target.action)) throw new ForbiddenError();
    if (target.read === 'me' && userId === null) throw new UnauthorizedError('Unauthorized');
    const omitted: string[] = [];
    const { defaultLimit, maxLimit } = this.#settings;
    const { dialect } = this;
    const { schema, defaultLocale } = this.store;
    const binding: Binding = { schema, dialect, permissions, defaultLimit, maxLimit, defaultLocale, omitted };
    const isBare = target.list === 'bare';
    const asked = target.ignoresQuery ? {} : isBare ? pagedAtRoot(query) : query;
    const bound = bind(binding, schema.type(target.uid), asked, target.read === 'list');
    const answered = target.onlyPopulates ? onlyPopulated(bound) : bound;
    const isWhole = target.ignoresQuery || (isBare && asked.pagination === undefined);
    const identifier = target.read === 'me' ? String(userId) : target.identifier;
    const route = `${format} ${target.read} ${target.list} ${JSON.stringify(identifier)} ${isWhole}`;
    const key = () => `${permissions.id} ${route} ${queryKey(answered)}`;
    return this.#caches.reply(key, () => {
      const body = this.#write({ ...target, identifier }, answered, isWhole, format);
      const headers: Record<string, string> = { 'X-Lectern-Snapshot': this.store.version };
      if (dialect.namesOmitted && omitted.length > 0) headers['X-Lectern-Omitted'] = omitted.join(', ');
      return body.length > 0 ? jsonReply(200, body, headers) : { status: 204, headers, body };
    });
  }

  /** Rows, page and bytes of a query that has been bound: nothing fails from here on but the reply's budgets. */
  #write(target: Target, query: BoundQuery, isWhole: boolean, format: Format): Buffer {
    const { store } = this;
    const collection = collectionOf(store, query.type);
    const view = this.#view(query.status);
    const { rows, count: total } = this.#matchingRows(view, collection, query, target);
    const writer = new ReplyWriter(this.#settings.budgets);
    if (target.read === 'count') {
      writer.text(String(total));
      return writer.finish();
    }
    const isList = target.read === 'list';
    const start = isList && !isWhole ? query.page.start : 0;
    const limit = isWhole ? total : isList ? query.page.limit : 1;
    const page = pageOf(view, collection, rows, total, query.sort, start, limit);
    const shape = this.#shape(view, collection, query, page, format);
    const mark = entryMark(store, collection);
    const inEnvelope = isList ? target.list === 'page' : target.read === 'single' || target.read === 'document';
    if (inEnvelope) writer.text('{"data":');
    else if (target.list === 'roles') writer.text('{"roles":');
    if (isList) writeEntries(writer, shape, page, mark);
    else if (page.length > 0) writeEntry(writer, shape, page[0], mark?.(page[0]));
    else if (target.missing === null) return Buffer.alloc(0);
    else throw new NotFoundError(target.missing);
    if (inEnvelope) {
      const meta = isList ? pageMeta(query.page, query.page.withCount ? total : null) : '{}';
      writer.text(`,"meta":${meta}}`);
    } else if (target.list === 'roles') writer.text('}');
    return writer.finish();
  }

  #shape(view: RequestView, collection: Collection, query: BoundQuery, page: Uint32Array, format: Format): EntryShape {
    const visibility = { ...query, locale: null };
    const shown = (target: Collection) => (target.published ? this.#ready.of(target, visibility).rows : null);
    const rowsWhere = (target: Collection, condition: Condition, everyStatus: boolean) => {
      const seen = everyStatus ? { ...visibility, status: null } : visibility;
      return asBitSet(this.#rowsWhere(view, target, seen, [condition]).rows, target.rowCount);
    };
    const { hidesNeighbouringLocalizations, leaksLocale } = this.dialect;
    const level = hidesNeighbouringLocalizations && populatesLocalizations(query.selection) ? page : null;
    const nests = format === 'nested' && collection.type.uid.startsWith('api::');
    return shapeEntry({ view, shown, rowsWhere, leaksLocale, nests }, collection, query.selection, level);
  }

  /** The rows that may be seen and for which the filter is true, and of these the document if one is named. */
  #matchingRows(view: RequestView, collection: Collection, query: BoundQuery, target: Target): Matching {
    const { filter, locale } = query;
    const conditions: Condition[] = filter ? [filter] : [];
    const equals = (attribute: string, operand: string | number) => {
      conditions.push({ kind: 'value', attribute, test: 'equal', operands: [operand], negated: false });
    };
    // one document is asked for in one locale: "all" names none of its rows
    const isOne = target.read === 'document' || target.read === 'single';
    if (isOne && collection.type.localized && locale === null) return noRows;
    if (target.read === 'document') equals('documentId', target.identifier!);
    if (target.read === 'entry' || target.read === 'me') {
      const id = Number(target.identifier);
      if (!Number.isSafeInteger(id)) return noRows;
      equals('id', id);
    }
    return this.#rowsWhere(view, collection, query, conditions);
  }

  /** The rows of a collection that may be seen and for which all conditions are true. The set is shared. */
  #rowsWhere(
    view: RequestView,
    collection: Collection,
    visibility: Visibility,
    conditions: readonly Condition[],
  ): Matching {
    const seen = this.#ready.of(collection, visibility);
    if (conditions.length === 0) return seen;
    const { status, locale, publication } = visibility;
    const key = () => rowsKey(collection.type.uid, `${view.name} ${status} ${locale} ${publication}`, conditions);
    return this.#caches.rows(key, () => {
      const plans = conditions.map((condition) => planFilter(view, collection, condition));
      if (seen.count < collection.rowCount) plans.push(planSet(collection, seen, `${status} ${locale ?? ''}`));
      const rows = runPlan(planAll(collection, plans));
      return { rows, count: countRows(rows) };
    });
  }

  #view(status: BoundQuery['status']): RequestView {
    const { store } = this;
    if (this.dialect.followsToEveryStatus) return { store, name: 'every', reachable: () => null };
    return { store, name: status, reachable: (target) => target.published && rowsOfStatus(target, status) };
  }

  #route(path: string): Target {
    const { prefix } = this.#settings;
    const target = path.startsWith(`${prefix}/`) ? this.routes.find(path.slice(prefix.length + 1)) : null;
    if (!target) throw new NotFoundError();
    return target;
  }
}

/** Lists without an envelope are paged by parameters of the root; `pagination` says nothing to them. */
function pagedAtRoot({ pagination: _, page, pageSize, start, limit, ...query }: RawQuery): RawQuery {
  const given = Object.entries({ page, pageSize, start, limit }).filter(([, value]) => value !== undefined);
  return given.length > 0 ? { ...query, pagination: Object.fromEntries(given) } : query;
}

/** A query that has been checked whole, and of which only what is populated counts. */
function onlyPopulated(query: BoundQuery): BoundQuery {
  return { ...query, filter: null, sort: [], selection: { ...query.selection, fields: null } };
}

/** The error as an answer; anything but a refused request is thrown on. */
export function refusal(error: unknown): Reply {
  if (!(error instanceof RequestError)) throw error;
  return errorReply(error);
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
