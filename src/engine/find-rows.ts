import { CostBudget } from '../core/cost-budget.ts';
import type { Dialect } from '../core/dialect.ts';
import { countRows } from '../core/sets/row-set.ts';
import { collationOf, type TextKeys } from '../model/collations/collation.ts';
import type { BoundQuery, Condition } from '../query/bound.ts';
import { folderCondition } from '../query/plan/folder-condition.ts';
import { isSearch } from '../query/plan/operator-codes.ts';
import { type PlannedQuery, planQuery } from '../query/plan/planner.ts';
import type { RequestView } from '../query/plan/request-view.ts';
import { earlyPageCost } from '../query/plan/sort-cost.ts';
import { findEarlyPage } from '../query/run/early-page.ts';
import { findPage, pageCost } from '../query/run/find-page.ts';
import {
  chooseEarlyPage,
  choosePage,
  chooseWhole,
  isSingleLookup,
  type PageStrategy,
  pageRequest,
} from '../query/run/page-strategy.ts';
import { runPlan } from '../query/run/run-plan.ts';
import type { Join } from '../query/visible/joined-columns.ts';
import { type Scope, scopeOf } from '../query/visible/scope.ts';
import type { ScopeCache } from '../query/visible/scope-cache.ts';
import type { VisibleSet } from '../query/visible/visible-set.ts';
import type { Segment } from '../store/segment.ts';
import type { Store } from '../store/store.ts';
import type { BoundRequest, RowKey } from './bound-request.ts';
import { bytesOfRows, type Caches, type FilterResult } from './caches/caches.ts';
import type { EngineMemory } from './caches/engine-memory.ts';
import { type RowsWanted, rowsHash, rowsKey } from './caches/rows-key.ts';
import type { Trace } from './trace.ts';

/** A list of more sorted rows than fit in this many bytes is not kept. */
const largestSorted = 2 ** 22;
const bytesPerRow = Uint32Array.BYTES_PER_ELEMENT;
/** A plan that costs less than this is run again each time, because a look into the cache costs almost as much. */
const leastKept = 50_000;

/** The rows of one page, and the number of rows on all pages. */
interface FoundPage {
  readonly page: Uint32Array;
  readonly total: number;
  /** The rows on all pages, in any order. Null where the page was found without them. */
  readonly matches: FilterResult | null;
}

/** Finds the rows of requests to one store: plan, filter, sort, page. */
export class RowFinder {
  readonly #store: Store;
  readonly #dialect: Dialect;
  readonly #textKeys: TextKeys | null;
  /** Maximum cost per request. */
  readonly #maxCost: number;
  readonly #caches: Caches;
  readonly #visible: ScopeCache;
  readonly #averageLinksBehind: RequestView['averageLinksBehind'];
  readonly #memory: EngineMemory;

  constructor(store: Store, dialect: Dialect, maxCost: number, memory: EngineMemory) {
    const { caches, visible, linkAverages } = memory;
    this.#memory = memory;
    this.#store = store;
    this.#dialect = dialect;
    this.#textKeys = dialect.derived.collation === null ? null : collationOf(dialect.derived.collation).keys;
    this.#maxCost = maxCost;
    this.#caches = caches;
    this.#visible = visible;
    this.#averageLinksBehind = (before, links) => linkAverages.average(before, links);
  }

  /** Returns the store as a request reads it, with the cost budget of one request. */
  view(query: BoundQuery): RequestView {
    const store = this.#store;
    const budget = new CostBudget(this.#maxCost);
    const linkedStatus = this.#dialect.scope.linkedStatus(query.status);
    const averageLinksBehind = this.#averageLinksBehind;
    const reachable = (target: Segment) => this.#visible.rowsOfStatus(target, linkedStatus);
    const { locales } = query;
    const derived = this.#memory;
    // the columns follow links as they are stored
    const joinedValues = (join: Join) => (locales ? null : derived.joined.find(join, linkedStatus));
    const everyKey = linkedStatus ?? 'every';
    const cacheKeyPart = locales ? `${everyKey} ${query.status} ${locales.join()}` : everyKey;
    const textKeys = this.#textKeys;
    const { searches } = derived;
    return {
      store,
      cacheKeyPart,
      query,
      derived,
      reachable,
      joinedValues,
      averageLinksBehind,
      textKeys,
      searches,
      budget,
    };
  }

  /** Returns the rows of a segment in a scope. The set is shared: do not change it. */
  readonly visible = (segment: Segment, scope: Scope): VisibleSet => this.#visible.rowsFor(segment, scope);

  /** Finds the rows of one page. With facets, finds all matches. */
  page(view: RequestView, segment: Segment, request: BoundRequest, trace?: Trace): FoundPage {
    const { query, template } = request;
    const { isWhole, route } = template;
    const isList = route.kind === 'list';
    const { sort, page: window } = query;
    const scope = scopeOf(query);
    const requested = pageRequest(sort, isWhole ? 0 : window.start, isList ? window.limit : 1, segment.isInIdOrder);
    const conditions = conditionsOf(view, request);
    const planned = this.#planBeforeCaches(view, segment, scope, conditions, trace);
    const mayEndEarly = isList && !isWhole && !query.facets && isSingleLookup(conditions);
    const early = planned && mayEndEarly ? chooseEarlyPage(planned.plan, requested) : null;
    if (planned && early) {
      const { maximumTests, maximumCounts } = early;
      view.budget.charge(earlyPageCost(view, planned.plan, requested.keys, maximumTests, maximumCounts));
      const page = findEarlyPage(view, planned.plan, early, requested);
      if (page) {
        trace?.paged(early, requested);
        return { page, total: early.total, matches: null };
      }
    }
    const { start, keys } = requested;
    const isKept = start > 0 && keys.length > 0 && this.#caches.keepsRows && !trace;
    const wanted = isKept ? { segment, scope, conditions, sort: keys } : null;
    const sorted = wanted && this.#known(view, wanted, planned);
    const matches = sorted ?? this.filter(view, segment, scope, conditions, trace, planned);
    const total = matches.count;
    trace?.mark('filter');
    const served = isWhole ? { ...requested, end: total } : requested;
    const strategy = choosePage(view, segment, total, served, planned?.plan ?? null);
    trace?.paged(strategy, served);
    view.budget.charge(pageCost(view, segment, total, served, strategy));
    const order = sorted ?? (wanted && this.#sorted(view, wanted, matches, strategy));
    const page = order
      ? (order.rows as Uint32Array).subarray(start, Math.min(served.end, total))
      : findPage(view, segment, matches, served, strategy);
    return { page, total, matches };
  }

  /**
   * Returns all matches in the order of a sort, and keeps them, once further pages have cost as much as sorting them. Further
   * pages are then parts of the list. Returns null before that.
   */
  #sorted(view: RequestView, wanted: RowsWanted, matches: FilterResult, strategy: PageStrategy): FilterResult | null {
    const { segment, sort } = wanted;
    const { count, cost } = matches;
    const bytes = count * bytesPerRow;
    if (!('joined' in strategy) || bytes > largestSorted) return null;
    const sorting = chooseWhole(segment, count, sort, strategy);
    const offer = { price: sorting.expectedCost, bytes, cost: strategy.expectedCost };
    if (!this.#caches.admitsRows(rowsHash(wanted), offer)) return null;
    const sorted = {
      rows: findPage(view, segment, matches, { keys: sort, start: 0, end: count }, sorting),
      count,
      cost,
    };
    this.#caches.keepRows(rowsKey(view, wanted), sorted);
    return sorted;
  }

  /**
   * Returns rows from the cache, or null. They are charged like new ones, so that no cache decides what is rejected, unless
   * their plan was.
   */
  #known(view: RequestView, wanted: RowsWanted, planned: PlannedQuery | null): FilterResult | null {
    const known = this.#caches.mayHoldRows(rowsHash(wanted)) ? this.#caches.rows(rowsKey(view, wanted)) : undefined;
    if (known && !planned) view.budget.charge(known.cost ?? 0);
    return known ?? null;
  }

  /** Counts the rows that a request asks for. */
  count(view: RequestView, segment: Segment, request: BoundRequest, trace?: Trace): number {
    const { count } = this.filter(view, segment, scopeOf(request.query), conditionsOf(view, request), trace);
    trace?.mark('filter');
    return count;
  }

  /**
   * Finds the rows in a scope for which all conditions are true, and charges their cost, unless `planned` was: what
   * `#planBeforeCaches` returned. The set is shared: do not change it.
   */
  filter(
    view: RequestView,
    segment: Segment,
    scope: Scope,
    conditions: readonly Condition[],
    trace?: Trace,
    planned: PlannedQuery | null = this.#planBeforeCaches(view, segment, scope, conditions, trace),
  ): FilterResult {
    if (conditions.length === 0) return this.visible(segment, scope);
    // an explanation prints and runs every plan
    const isKept = this.#caches.keepsRows && !trace && !conditions.every(isEquality);
    if (!isKept || (planned && planned.runCost < leastKept)) {
      return runPlanned(planned ?? this.#plan(view, segment, scope, conditions, trace));
    }
    const wanted = { segment, scope, conditions, sort: [] };
    const known = this.#known(view, wanted, planned);
    if (known) return known;
    const found = runPlanned(planned ?? this.#plan(view, segment, scope, conditions));
    const offer = { price: 0, bytes: bytesOfRows(found.rows), cost: found.cost! };
    if (this.#caches.admitsRows(rowsHash(wanted), offer)) this.#caches.keepRows(rowsKey(view, wanted), found);
    return found;
  }

  /**
   * Plans a filter, whose cost tells whether to look for its rows in the cache. Returns null if it searches texts: planning it
   * finds them, which costs more than looking. Returns null for no filter, too.
   */
  #planBeforeCaches(
    view: RequestView,
    segment: Segment,
    scope: Scope,
    conditions: readonly Condition[],
    trace?: Trace,
  ): PlannedQuery | null {
    if (conditions.length === 0 || conditions.some(isSearching)) return null;
    return this.#plan(view, segment, scope, conditions, trace);
  }

  /** Plans a filter. Charges what planning costs, and what running the plan costs at most. */
  #plan(
    view: RequestView,
    segment: Segment,
    scope: Scope,
    conditions: readonly Condition[],
    trace?: Trace,
  ): PlannedQuery {
    const planned = planQuery(view, segment, scope, conditions, this.visible);
    trace?.planned(planned);
    return planned;
  }
}

/** The filter of a query, its folder, and the entry that the path names. */
function conditionsOf(view: RequestView, { query: { filter, folder }, key }: BoundRequest): Condition[] {
  const conditions: Condition[] = filter ? [filter] : [];
  if (folder) conditions.push(folderCondition(view, folder));
  if (key) conditions.push(equals(key));
  return conditions;
}

export function equals({ attribute, operand }: RowKey): Condition {
  return { kind: 'value', attribute, comparison: 'equal', operands: [operand], negated: false };
}

function runPlanned({ plan, cost }: PlannedQuery): FilterResult {
  const rows = runPlan(plan);
  return { rows, count: countRows(rows), cost };
}

/** Returns whether looking the rows up costs less than caching them. */
function isEquality(condition: Condition): boolean {
  return condition.kind === 'value' && condition.comparison === 'equal' && !condition.negated;
}

/** Returns whether a condition searches texts. */
function isSearching(condition: Condition): boolean {
  switch (condition.kind) {
    case 'value':
      return isSearch(condition.comparison);
    case 'related':
    case 'not':
      return isSearching(condition.condition);
    case 'all':
    case 'any':
      return condition.conditions.some(isSearching);
    default:
      return condition satisfies never;
  }
}
