/**
 * A bound query to bytes: plan, rows, page, shape, write. Only budgets, a miss and an id in the path that is none are
 * refused here.
 */

import { CostBudget } from '../base/cost-budget.ts';
import type { Dialect } from '../base/dialect.ts';
import { NotFoundError, ValidationError } from '../base/errors.ts';
import { type Scope, VisibleRows } from '../derived/visible-rows.ts';
import { setCost } from '../plan/cost-model.ts';
import type { Plan } from '../plan/plan.ts';
import { planAll, planFilter, planSet } from '../plan/planner.ts';
import { type BoundQuery, type Condition, populatesLocalizations } from '../query/bound.ts';
import { rowsKey } from '../query/key.ts';
import type { Comparison } from '../query/operators.ts';
import { writePageMeta } from '../reply/envelope.ts';
import { type Budgets, JsonWriter } from '../reply/json-writer.ts';
import { entrySuffix } from '../reply/mark.ts';
import { compileProjection, type EntryProjection, sharedParts } from '../reply/projection.ts';
import { estimateSize } from '../reply/size-estimate.ts';
import { writeEntries, writeEntry } from '../reply/write-entries.ts';
import { runPlan } from '../run/filter.ts';
import { findEarlyPage } from '../run/first-page.ts';
import { findPage } from '../run/page.ts';
import { countRows, toBitSet } from '../sets/row-set.ts';
import { type Collection, rowsOfStatus } from '../store/collection.ts';
import { collectionOf, type Store, type StoreView } from '../store/store.ts';
import type { CacheStatistics, Caches, FilterResult } from './caches.ts';
import type { Route } from './routes.ts';
import type { PreparedRequest } from './tasks.ts';
import type { Trace } from './trace.ts';

const openData = Buffer.from('{"data":');
const meta = Buffer.from(',"meta":');
const noMeta = Buffer.from('{}');
const closeEnvelope = Buffer.from('}');

/** Bytes of row sets of what requests may see, and of counts in them. Making one again takes some ns a row. */
const readyBytes = 16 * 2 ** 20;

export class Executor {
  readonly #store: Store;
  readonly #dialect: Dialect;
  readonly #writer: JsonWriter;
  readonly #caches: Caches;
  /** Steps that one request may take. */
  readonly #most: number;
  readonly #ready = new VisibleRows(readyBytes);

  constructor(store: Store, dialect: Dialect, budgets: Budgets & { steps: number }, caches: Caches) {
    this.#store = store;
    this.#dialect = dialect;
    this.#writer = new JsonWriter(budgets);
    this.#most = budgets.steps;
    this.#caches = caches;
  }

  /** How the row sets that are kept ready have served. */
  get readyFigures(): CacheStatistics {
    return this.#ready.figures;
  }

  /** The body of the reply; empty where a route answers a miss with nothing. `trace` is told of plan and stages. */
  write(task: PreparedRequest, trace?: Trace): Buffer {
    const { target, query } = task;
    const store = this.#store;
    const collection = collectionOf(store, query.type);
    const view = this.#view(query.status);
    const writer = this.#writer;
    writer.start(view.budget, task.shared.bytes);
    if (target.read === 'count') {
      const conditions = conditionsOf(query, target);
      writer.number(this.#rowsWhere(view, collection, query, conditions, trace).count);
      return writer.finish();
    }
    const isList = target.read === 'list';
    const { page, total } = this.#page(view, collection, task, trace);
    trace?.mark('page');
    const shape = task.shared.shape ?? this.#shape(view, collection, task, page);
    trace?.mark('shape');
    const mark = entrySuffix(store, collection, isList && task.countsUsers, this.#dialect.reply.emitsSignedUrlFlag);
    const inEnvelope = isList ? target.list !== 'bare' : target.read === 'single' || target.read === 'document';
    if (inEnvelope) writer.append(openData);
    else if (target.under) writer.text(`{"${target.under}":`);
    writer.expect((mostSteps) => estimateSize(shape, page, mostSteps));
    if (isList) writeEntries(writer, shape, page, mark);
    else if (page.length > 0) writeEntry(writer, shape, page[0], mark?.(page[0]));
    else if (target.missing === null) return Buffer.alloc(0);
    else throw new NotFoundError(target.missing);
    if (inEnvelope) {
      writer.append(meta);
      if (isList && target.list === 'page') writePageMeta(writer, query.page, query.page.withCount ? total : null);
      else writer.append(noMeta);
      writer.append(closeEnvelope);
    } else if (target.under) writer.text('}');
    const body = writer.finish();
    task.shared.bytes = body.length;
    trace?.mark('write');
    return body;
  }

  #shape(view: StoreView, collection: Collection, task: PreparedRequest, page: Uint32Array): EntryProjection {
    const { query, format, shared } = task;
    const visibility = { ...query, locale: null };
    const shown = (target: Collection) => (target.published ? this.#ready.rowsFor(target, visibility).rows : null);
    const rowsWhere = (target: Collection, condition: Condition, everyStatus: boolean) => {
      const seen = everyStatus ? { ...visibility, status: null } : visibility;
      return toBitSet(this.#rowsWhere(view, target, seen, [condition]).rows, target.rowCount);
    };
    const { dropsNeighbouringLocalizations, emitsNullLocale, emitsEmptyMorphsAsNull } = this.#dialect.reply;
    const hidesLocalizations = (shared.hidesLocalizations ??=
      dropsNeighbouringLocalizations && populatesLocalizations(query.selection));
    const level = hidesLocalizations ? page : null;
    const nests = format === 'nested' && collection.type.uid.startsWith('api::');
    const context = { view, shown, rowsWhere, emitsNullLocale, isBelowMorph: false, nests, emitsEmptyMorphsAsNull };
    const shape = compileProjection(context, collection, query.selection, level, shared.parts);
    // sets of rows by publication belong to a cache, which a template would keep from dropping them
    if (query.publication !== null) return shape;
    shared.parts ??= sharedParts(query.selection, shape, level);
    if (!shared.parts.includes(undefined)) shared.shape = shape;
    return shape;
  }

  /** The rows of the page, and how many there are on all pages. */
  #page(
    view: StoreView,
    collection: Collection,
    { target, query, isWhole }: PreparedRequest,
    trace?: Trace,
  ): { page: Uint32Array; total: number } {
    const { sort, page: asked } = query;
    const isPaged = target.read === 'list' && !isWhole;
    const start = isWhole ? 0 : asked.start;
    const limit = target.read === 'list' ? asked.limit : 1;
    const conditions = conditionsOf(query, target);
    const isPlanned = isPaged && conditions.length === 1 && isQuicklyPlanned(conditions[0]);
    const plan = isPlanned ? this.#plan(view, collection, query, conditions) : undefined;
    if (plan) trace?.planned(plan);
    const first = plan && findEarlyPage(view, plan, sort, start, limit);
    if (first) {
      view.budget.charge(setCost(plan, true));
      return first;
    }
    const { rows, count: total } = this.#rowsWhere(view, collection, query, conditions, trace, plan);
    trace?.mark('rows');
    return { page: findPage(view, collection, rows, total, sort, start, isWhole ? total : limit), total };
  }

  /** The plan for the rows that may be seen and for which all conditions are true. */
  #plan(view: StoreView, collection: Collection, visibility: Scope, conditions: readonly Condition[]): Plan {
    const seen = this.#ready.rowsFor(collection, visibility);
    const plans = conditions.map((condition) => planFilter(view, collection, condition));
    if (seen.count < collection.rowCount) plans.push(planSet(collection, seen, visibility));
    return planAll(collection, plans);
  }

  /** The rows of a collection that may be seen and for which all conditions are true. The set is shared. */
  #rowsWhere(
    view: StoreView,
    collection: Collection,
    visibility: Scope,
    conditions: readonly Condition[],
    trace?: Trace,
    planned?: Plan,
  ): FilterResult {
    if (conditions.length === 0) return this.#ready.rowsFor(collection, visibility);
    const { status, locale, publication } = visibility;
    const key = () => rowsKey(collection.type.uid, `${view.name} ${status} ${locale} ${publication}`, conditions);
    const { budget: work } = view;
    const before = work.charged;
    const run = (): FilterResult => {
      const plan = planned ?? this.#plan(view, collection, visibility, conditions);
      if (!planned) trace?.planned(plan);
      work.charge(setCost(plan, true));
      const rows = runPlan(plan);
      return { rows, count: countRows(rows), cost: work.charged - before };
    };
    const isKept = !trace && !conditions.every(isEquality);
    const found = isKept ? this.#caches.rows(key, run) : run();
    // rows that were kept cost as much as they did when they were found, so that no cache decides what is refused
    work.charge(before + (found.cost ?? 0) - work.charged);
    return found;
  }

  #view(status: BoundQuery['status']): StoreView {
    const store = this.#store;
    const work = new CostBudget(this.#most);
    const linkedStatus = this.#dialect.scope.linkedStatus(status);
    if (linkedStatus === null) {
      return { store, name: 'every', reachable: () => null, budget: work };
    }
    return {
      store,
      name: linkedStatus,
      reachable: (target) => target.published && rowsOfStatus(target, linkedStatus),
      budget: work,
    };
  }
}

/** What an entry has to be: what the filter says, and the document, or the entry, that the path names. */
function conditionsOf({ filter }: BoundQuery, { read, identifier, isById }: Route): Condition[] {
  const conditions: Condition[] = filter ? [filter] : [];
  const equals = (attribute: string, operand: string | number) => {
    conditions.push({ kind: 'value', attribute, comparison: 'equal', operands: [operand], negated: false });
  };
  if (read === 'document' && isById) equals('id', Number(identifier));
  else if (read === 'document') equals('documentId', identifier!);
  if (read === 'entry' || read === 'me') {
    if (!/^-?\d{1,15}$/.test(identifier!)) {
      const place = { key: 'id', path: null, source: 'params', param: 'id', value: identifier };
      throw new ValidationError(`Invalid id ${identifier}: a whole number is expected`, place);
    }
    equals('id', Number(identifier));
  }
  return conditions;
}

/** Tests whose codes are found by looking operands up in a dictionary. */
const lookedUp: ReadonlySet<Comparison> = new Set<Comparison>([
  'equal',
  'less',
  'lessOrEqual',
  'greater',
  'greaterOrEqual',
  'between',
  'oneOf',
  'isNull',
]);

/**
 * Whether a condition is on one own value that is looked up, not searched for: planning it then costs next to nothing,
 * and notes no hop that is then not made.
 */
function isQuicklyPlanned(condition: Condition): boolean {
  return condition.kind === 'value' && lookedUp.has(condition.comparison);
}

/** To look a value up costs less than to keep what was found. */
function isEquality(condition: Condition): boolean {
  return condition.kind === 'value' && condition.comparison === 'equal' && !condition.negated;
}
