import type { CodeSet } from '../../core/sets/code-set.ts';
import type { TextKeys } from '../../model/collations/collation.ts';
import { jsonTextOf, orderKeysOf, searchKeysOf } from '../../store/collection.ts';
import type { Column } from '../../store/columns/column.ts';
import { averageLinksPerRow, mostRowsWithoutLinks } from '../../store/links/link-counts.ts';
import type { Segment } from '../../store/segment.ts';
import type { Condition, Operand, RelatedCondition, ValueCondition } from '../bound.ts';
import type { Comparison } from '../operators.ts';
import type { JoinedValues } from '../visible/joined-columns.ts';
import type { Scope } from '../visible/scope.ts';
import type { VisibleSet } from '../visible/visible-set.ts';
import { averageCost, countingCost, maximumCost } from './cost-model.ts';
import { unit } from './cost-units.ts';
import { codesFor, isSearch } from './operator-codes.ts';
import type { Plan, SemiJoin } from './plan.ts';
import { follow, type RequestView } from './request-view.ts';
import { rewrite, rewrites } from './rewrites.ts';

/** A plan that can be run. */
export interface PlannedQuery {
  readonly plan: Plan;
  /** Names of the rewrites that changed the plan, in the order in which they first did. */
  readonly rewrites: readonly string[];
  /** An upper bound of the cost of running the plan. */
  readonly runCost: number;
  /** The same and the cost of planning. Both are charged. */
  readonly cost: number;
}

/** Returns the rows of a segment that a scope makes visible. */
export type FindVisible = (segment: Segment, scope: Scope) => VisibleSet;

/**
 * Plans the visible rows of a segment for which every condition is true. Its rows and cost follow from store, scope and
 * conditions alone: neither earlier requests nor caches change them. Throws if they cost more than the budget of the
 * view has left.
 */
export function planQuery(
  view: RequestView,
  segment: Segment,
  scope: Scope,
  conditions: readonly Condition[],
  findVisible: FindVisible,
): PlannedQuery {
  const { budget } = view;
  const before = budget.charged;
  const applied: string[] = [];
  const plan = rewrite(buildPlan(view, segment, scope, conditions, findVisible), rewrites, applied);
  const runCost = maximumCost(plan);
  budget.charge(runCost);
  return { plan, rewrites: applied, runCost, cost: budget.charged - before };
}

/** Builds the plan before rewrites. Charges each comparison when it is built, so that a costly query is rejected at once. */
function buildPlan(
  view: RequestView,
  segment: Segment,
  scope: Scope,
  conditions: readonly Condition[],
  findVisible: FindVisible,
): Plan {
  const parts = conditions.map((condition) => buildCondition(view, segment, condition));
  const visible = findVisible(segment, scope);
  parts.push({ kind: 'visible', segment, visible, scope, estimate: visible.count });
  return combine('and', segment, parts);
}

function buildCondition(view: RequestView, segment: Segment, condition: Condition): Plan {
  switch (condition.kind) {
    case 'value':
      return buildComparison(view, segment, condition);
    case 'related':
      return buildSemiJoin(view, segment, condition);
    case 'not': {
      const inner = buildSemiJoin(view, segment, condition.condition);
      return { kind: 'antiJoin', segment, inner, estimate: segment.rowCount };
    }
    case 'all':
    case 'any': {
      const parts = condition.conditions.map((part) => buildCondition(view, segment, part));
      return combine(condition.kind === 'all' ? 'and' : 'or', segment, parts);
    }
    default:
      return condition satisfies never;
  }
}

/** An "and" of nothing selects everything, and an "or" of nothing selects nothing. */
function combine(kind: 'and' | 'or', segment: Segment, parts: readonly Plan[]): Plan {
  const { rowCount } = segment;
  let least = rowCount;
  let sum = 0;
  for (const { estimate } of parts) {
    least = Math.min(least, estimate);
    sum += estimate;
  }
  if (kind === 'and') {
    if (parts.length === 0) return { kind: 'everything', segment, estimate: rowCount };
    return { kind, segment, parts, estimate: least };
  }
  if (parts.length === 0) return { kind: 'nothing', segment, estimate: 0 };
  return { kind, segment, parts, estimate: Math.min(rowCount, sum) };
}

function buildSemiJoin(view: RequestView, segment: Segment, { attribute, condition }: RelatedCondition): SemiJoin {
  const { target, links } = follow(view, segment, attribute);
  const inner = buildCondition(view, target, condition);
  const matchesUnlinked = isTrueOfNulls(condition);
  const linked = Math.ceil(inner.estimate * averageLinksPerRow(links.reverse));
  const unlinked = matchesUnlinked ? mostRowsWithoutLinks(links.forward) : 0;
  const estimate = Math.min(segment.rowCount, linked + unlinked);
  const reachable = view.reachable(target);
  const join: SemiJoin = {
    kind: 'semiJoin',
    segment,
    attribute,
    links,
    inner,
    matchesUnlinked,
    reachable,
    joined: null,
    estimate,
  };
  return { ...join, joined: joinedValues(view, join, target) };
}

/** Returns what a semi-join selects as a comparison, if all its relations lead to one row. Null if that is not known. */
function joinedValues(view: RequestView, join: SemiJoin, target: Segment): JoinedValues | null {
  const inner = comparisonOf(join.inner);
  const { segment, attribute, links } = join;
  return inner && view.joinedValues({ segment, attribute, target, links, inner, averageCost: () => averageCost(join) });
}

function comparisonOf(plan: Plan): JoinedValues | null {
  if (plan.kind === 'semiJoin') return plan.joined;
  if (plan.kind !== 'values') return null;
  const { column, codes, condition } = plan;
  const path = comparedColumn(plan.segment.collection, condition).name;
  return { column, codes, path, uncertain: noRows };
}

const noRows = new Uint32Array(0);

function buildComparison(view: RequestView, segment: Segment, condition: ValueCondition): Plan {
  const { collection, delta } = segment;
  const compared = comparedColumn(collection, condition);
  const { column } = compared;
  const codes = findCodes(view, compared, condition);
  const counted = column.countRows(codes);
  if (!delta) return { kind: 'values', segment, column, codes, changed: null, condition, estimate: counted };
  const changedValues = comparedColumn(delta, condition);
  const changed = { delta, column: changedValues.column, codes: findCodes(view, changedValues, condition) };
  const estimate = Math.min(segment.rowCount, counted + changed.column.countRows(changed.codes));
  return { kind: 'values', segment, column, codes, changed, condition, estimate };
}

function findCodes(
  { budget, searches, textKeys }: RequestView,
  { column: { dictionary }, keys }: ComparedColumn<Column>,
  condition: ValueCondition,
): CodeSet {
  budget.charge(unit.plannedComparison);
  if ('textSearch' in dictionary && isSearch(condition.comparison)) searches.use(dictionary.textSearch);
  const keyOf = (operand: Operand) => (operand === null ? null : textKeys![keys!](String(operand)));
  const compared = keys === null ? condition : { ...condition, operands: condition.operands.map(keyOf) };
  const codes = codesFor(dictionary, compared, budget);
  budget.charge(countingCost(codes));
  return codes;
}

/** A column that a comparison reads. */
interface ComparedColumn<Compared extends Column> {
  /** Differs between the columns of a collection. */
  readonly name: string;
  readonly column: Compared;
  /** The keys of texts that the column has. Null: it has values. */
  readonly keys: keyof TextKeys | null;
}

/** The comparisons that look for parts of texts. */
const partSearches: ReadonlySet<Comparison> = new Set<Comparison>([
  'contains',
  'containsFolded',
  'startsWith',
  'startsWithFolded',
  'endsWith',
  'endsWithFolded',
  'matchesFolded',
]);

/** Comparisons with JSON read its text, and those with texts read the keys of a collation if there are any. */
function comparedColumn<Compared extends Column>(
  columns: { columns: ReadonlyMap<string, Compared>; comparedTexts: ReadonlyMap<string, Compared> },
  { attribute, comparison }: ValueCondition,
): ComparedColumn<Compared> {
  const { comparedTexts } = columns;
  const own = columns.columns.get(attribute)!;
  const { kind } = own.dictionary;
  const values = { name: attribute, column: own, keys: null };
  if (comparison === 'isNull' || (kind !== 'presence' && kind !== 'text')) return values;
  if (kind === 'presence') return { name: jsonTextOf(attribute), column: comparedTexts.get(attribute)!, keys: null };
  const keys = partSearches.has(comparison) ? 'search' : 'order';
  const name = keys === 'search' ? searchKeysOf(attribute) : orderKeysOf(attribute);
  const column = comparedTexts.get(name);
  return column ? { name, column, keys } : values;
}

/** Returns whether a condition is true of a row of nulls, which takes the place of related rows that do not exist. */
function isTrueOfNulls(condition: Condition): boolean {
  switch (condition.kind) {
    case 'value':
      return condition.comparison === 'isNull' && !condition.negated;
    case 'related':
      return isTrueOfNulls(condition.condition);
    case 'not':
      return !isTrueOfNulls(condition.condition);
    case 'all':
      return condition.conditions.every(isTrueOfNulls);
    case 'any':
      return condition.conditions.some(isTrueOfNulls);
    default:
      return condition satisfies never;
  }
}
