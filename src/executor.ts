/**
 * A bound query to bytes: plan, rows, page, shape, write. Only budgets, a miss and an id in the path that is none are
 * refused here.
 */
import type { Caches, Matching } from './cache.ts';
import type { Dialect } from './dialect.ts';
import { NotFoundError, ValidationError } from './errors.ts';
import { setCost } from './plan/cost.ts';
import type { Plan } from './plan/plan.ts';
import { planAll, planFilter, planSet } from './plan/planner.ts';
import { type BoundQuery, type Condition, populatesLocalizations } from './query/bound.ts';
import { rowsKey } from './query/key.ts';
import type { Test } from './query/operators.ts';
import { writeEntries, writeEntry } from './reply/entries.ts';
import { writePageMeta } from './reply/envelope.ts';
import { extentOf } from './reply/extent.ts';
import { entryMark } from './reply/mark.ts';
import { type EntryShape, lastingParts, shapeEntry } from './reply/shape.ts';
import { type Budgets, ReplyWriter } from './reply/writer.ts';
import type { Target } from './routes.ts';
import { firstPage } from './run/first-page.ts';
import { pageOf } from './run/page.ts';
import { runPlan } from './run/rows.ts';
import { asBitSet, countRows } from './sets/rows.ts';
import { type Collection, rowsOfStatus } from './store/collection.ts';
import { ReadyRows, type Visibility } from './store/ready-rows.ts';
import { collectionOf, type Store, type View } from './store/store.ts';
import { Work } from './store/work.ts';
import type { Task } from './tasks.ts';
import type { Trace } from './trace.ts';

const openData = Buffer.from('{"data":');
const meta = Buffer.from(',"meta":');
const noMeta = Buffer.from('{}');
const closeEnvelope = Buffer.from('}');

export class Executor {
  readonly #store: Store;
  readonly #dialect: Dialect;
  readonly #writer: ReplyWriter;
  readonly #caches: Caches;
  /** Steps that one request may take. */
  readonly #most: number;
  readonly #ready = new ReadyRows();

  constructor(store: Store, dialect: Dialect, budgets: Budgets & { steps: number }, caches: Caches) {
    this.#store = store;
    this.#dialect = dialect;
    this.#writer = new ReplyWriter(budgets);
    this.#most = budgets.steps;
    this.#caches = caches;
  }

  /** The body of the reply; empty where a route answers a miss with nothing. `trace` is told of plan and stages. */
  write(task: Task, trace?: Trace): Buffer {
    const { target, query } = task;
    const store = this.#store;
    const collection = collectionOf(store, query.type);
    const view = this.#view(query.status);
    const writer = this.#writer;
    writer.start(view.work, task.shared.bytes);
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
    const mark = entryMark(store, collection, isList && task.countsUsers, this.#dialect.tellsSignedUrls);
    const inEnvelope = isList ? target.list !== 'bare' : target.read === 'single' || target.read === 'document';
    if (inEnvelope) writer.append(openData);
    else if (target.under) writer.text(`{"${target.under}":`);
    writer.expect((mostSteps) => extentOf(shape, page, mostSteps));
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

  #shape(view: View, collection: Collection, task: Task, page: Uint32Array): EntryShape {
    const { query, format, shared } = task;
    const visibility = { ...query, locale: null };
    const shown = (target: Collection) => (target.published ? this.#ready.of(target, visibility).rows : null);
    const rowsWhere = (target: Collection, condition: Condition, everyStatus: boolean) => {
      const seen = everyStatus ? { ...visibility, status: null } : visibility;
      return asBitSet(this.#rowsWhere(view, target, seen, [condition]).rows, target.rowCount);
    };
    const { hidesNeighbouringLocalizations, leaksLocale, hidesEmptyMorphs } = this.#dialect;
    const hidesLocalizations = (shared.hidesLocalizations ??=
      hidesNeighbouringLocalizations && populatesLocalizations(query.selection));
    const level = hidesLocalizations ? page : null;
    const nests = format === 'nested' && collection.type.uid.startsWith('api::');
    const context = { view, shown, rowsWhere, leaksLocale, isLeaking: false, nests, hidesEmptyMorphs };
    const shape = shapeEntry(context, collection, query.selection, level, shared.parts);
    shared.parts ??= lastingParts(query.selection, shape, level);
    if (!shared.parts.includes(undefined)) shared.shape = shape;
    return shape;
  }

  /** The rows of the page, and how many there are on all pages. */
  #page(
    view: View,
    collection: Collection,
    { target, query, isWhole }: Task,
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
    const first = plan && firstPage(view, plan, sort, start, limit);
    if (first) {
      view.work.spend(setCost(plan, true));
      return first;
    }
    const { rows, count: total } = this.#rowsWhere(view, collection, query, conditions, trace, plan);
    trace?.mark('rows');
    return { page: pageOf(view, collection, rows, total, sort, start, isWhole ? total : limit), total };
  }

  /** The plan for the rows that may be seen and for which all conditions are true. */
  #plan(view: View, collection: Collection, visibility: Visibility, conditions: readonly Condition[]): Plan {
    const seen = this.#ready.of(collection, visibility);
    const plans = conditions.map((condition) => planFilter(view, collection, condition));
    if (seen.count < collection.rowCount) plans.push(planSet(collection, seen, visibility));
    return planAll(collection, plans);
  }

  /** The rows of a collection that may be seen and for which all conditions are true. The set is shared. */
  #rowsWhere(
    view: View,
    collection: Collection,
    visibility: Visibility,
    conditions: readonly Condition[],
    trace?: Trace,
    planned?: Plan,
  ): Matching {
    if (conditions.length === 0) return this.#ready.of(collection, visibility);
    const { status, locale, publication } = visibility;
    const key = () => rowsKey(collection.type.uid, `${view.name} ${status} ${locale} ${publication}`, conditions);
    const { work } = view;
    const before = work.spent;
    const run = (): Matching => {
      const plan = planned ?? this.#plan(view, collection, visibility, conditions);
      if (!planned) trace?.planned(plan);
      work.spend(setCost(plan, true));
      const rows = runPlan(plan);
      return { rows, count: countRows(rows), steps: work.spent - before };
    };
    const isKept = !trace && !conditions.every(isEquality);
    const found = isKept ? this.#caches.rows(key, run) : run();
    // rows that were kept cost as much as they did when they were found, so that no cache decides what is refused
    work.spend(before + (found.steps ?? 0) - work.spent);
    return found;
  }

  #view(status: BoundQuery['status']): View {
    const store = this.#store;
    const work = new Work(this.#most);
    if (this.#dialect.followsToEveryStatus || status === null) {
      return { store, name: 'every', reachable: () => null, work };
    }
    return { store, name: status, reachable: (target) => target.published && rowsOfStatus(target, status), work };
  }
}

/** What an entry has to be: what the filter says, and the document, or the entry, that the path names. */
function conditionsOf({ filter }: BoundQuery, { read, identifier, isById }: Target): Condition[] {
  const conditions: Condition[] = filter ? [filter] : [];
  const equals = (attribute: string, operand: string | number) => {
    conditions.push({ kind: 'value', attribute, test: 'equal', operands: [operand], negated: false });
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
const lookedUp: ReadonlySet<Test> = new Set<Test>([
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
  return condition.kind === 'value' && lookedUp.has(condition.test);
}

/** To look a value up costs less than to keep what was found. */
function isEquality(condition: Condition): boolean {
  return condition.kind === 'value' && condition.test === 'equal' && !condition.negated;
}
