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
import { type BoundQuery, type Condition, isPlain, populatesLocalizations } from './query/bound.ts';
import { rowsKey } from './query/key.ts';
import { writeEntries, writeEntry } from './reply/entries.ts';
import { pageMeta } from './reply/envelope.ts';
import { extentOf } from './reply/extent.ts';
import { entryMark } from './reply/mark.ts';
import { type EntryShape, shapeEntry } from './reply/shape.ts';
import { type Budgets, ReplyWriter } from './reply/writer.ts';
import type { Target } from './routes.ts';
import { pageOf } from './run/page.ts';
import { runPlan } from './run/rows.ts';
import { asBitSet, countRows } from './sets/rows.ts';
import { type Collection, rowsOfStatus } from './store/collection.ts';
import { ReadyRows, type Visibility } from './store/ready-rows.ts';
import { collectionOf, type Store, type View } from './store/store.ts';
import { Work } from './store/work.ts';
import type { Task } from './tasks.ts';
import type { Trace } from './trace.ts';

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
    const { target, query, isWhole } = task;
    const store = this.#store;
    const collection = collectionOf(store, query.type);
    const view = this.#view(query.status);
    const { rows, count: total } = this.#matchingRows(view, collection, query, target, trace);
    trace?.mark('rows');
    const writer = this.#writer;
    writer.start(view.work);
    if (target.read === 'count') {
      writer.text(String(total));
      return writer.finish();
    }
    const isList = target.read === 'list';
    const start = isWhole ? 0 : query.page.start;
    const limit = isWhole ? total : isList ? query.page.limit : 1;
    const page = pageOf(view, collection, rows, total, query.sort, start, limit);
    trace?.mark('page');
    const shape = task.shared.shape ?? this.#shape(view, collection, task, page);
    trace?.mark('shape');
    const mark = entryMark(store, collection, isList);
    const inEnvelope = isList ? target.list === 'page' : target.read === 'single' || target.read === 'document';
    if (inEnvelope) writer.text('{"data":');
    else if (target.under) writer.text(`{"${target.under}":`);
    writer.expect((mostSteps) => extentOf(shape, page, mostSteps));
    if (isList) writeEntries(writer, shape, page, mark);
    else if (page.length > 0) writeEntry(writer, shape, page[0], mark?.(page[0]));
    else if (target.missing === null) return Buffer.alloc(0);
    else throw new NotFoundError(target.missing);
    if (inEnvelope) {
      const meta = isList ? pageMeta(query.page, query.page.withCount ? total : null) : '{}';
      writer.text(`,"meta":${meta}}`);
    } else if (target.under) writer.text('}');
    const body = writer.finish();
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
    const { hidesNeighbouringLocalizations, leaksLocale } = this.#dialect;
    const level = hidesNeighbouringLocalizations && populatesLocalizations(query.selection) ? page : null;
    const nests = format === 'nested' && collection.type.uid.startsWith('api::');
    const shape = shapeEntry({ view, shown, rowsWhere, leaksLocale, nests }, collection, query.selection, level);
    // what holds row sets of its own is not kept
    if (level === null && isPlain(query.selection)) shared.shape = shape;
    return shape;
  }

  /** The rows that may be seen and for which the filter is true, and of these the document if one is named. */
  #matchingRows(view: View, collection: Collection, query: BoundQuery, target: Target, trace?: Trace): Matching {
    const { filter } = query;
    const conditions: Condition[] = filter ? [filter] : [];
    const equals = (attribute: string, operand: string | number) => {
      conditions.push({ kind: 'value', attribute, test: 'equal', operands: [operand], negated: false });
    };
    if (target.read === 'document') equals('documentId', target.identifier!);
    if (target.read === 'entry' || target.read === 'me') {
      const id = Number(target.identifier);
      if (!/^-?\d{1,15}$/.test(target.identifier!)) {
        throw new ValidationError(`Invalid id ${target.identifier}: a whole number is expected`);
      }
      equals('id', id);
    }
    return this.#rowsWhere(view, collection, query, conditions, trace);
  }

  /** The rows of a collection that may be seen and for which all conditions are true. The set is shared. */
  #rowsWhere(
    view: View,
    collection: Collection,
    visibility: Visibility,
    conditions: readonly Condition[],
    trace?: Trace,
  ): Matching {
    const seen = this.#ready.of(collection, visibility);
    if (conditions.length === 0) return seen;
    const { status, locale, publication } = visibility;
    const key = () => rowsKey(collection.type.uid, `${view.name} ${status} ${locale} ${publication}`, conditions);
    const plan = (): Plan => {
      const plans = conditions.map((condition) => planFilter(view, collection, condition));
      if (seen.count < collection.rowCount) plans.push(planSet(collection, seen, visibility));
      return planAll(collection, plans);
    };
    const { work } = view;
    const before = work.spent;
    const run = (planned: Plan): Matching => {
      work.spend(setCost(planned, true));
      const rows = runPlan(planned);
      return { rows, count: countRows(rows), steps: work.spent - before };
    };
    const isKept = !trace && !conditions.every(isEquality);
    const found = isKept ? this.#caches.rows(key, () => run(plan())) : run(trace?.planned(plan()) ?? plan());
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

/** To look a value up costs less than to keep what was found. */
function isEquality(condition: Condition): boolean {
  return condition.kind === 'value' && condition.test === 'equal' && !condition.negated;
}
