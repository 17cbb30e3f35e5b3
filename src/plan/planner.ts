import { follow } from '../derived/follow.ts';
import type { VisibleRowSet } from '../derived/visible-row-set.ts';
import type { Scope } from '../derived/visible-rows.ts';
import type { Condition } from '../query/bound.ts';
import type { CodeSet } from '../sets/code-set.ts';
import type { Collection } from '../store/collection.ts';
import type { StoreView } from '../store/store.ts';
import { codesFor } from './operator-codes.ts';
import { type Plan, valuesPlan } from './plan.ts';

/** To count the rows of a code, in steps, and to go through a word of a set of codes. */
const codeCost = 3;
const wordCost = 2;

/** Plans a filter on a collection: each test is turned into codes, and the parts of "and" ordered by known counts. */
export function planFilter(view: StoreView, collection: Collection, condition: Condition): Plan {
  const { rowCount } = collection;
  switch (condition.kind) {
    case 'value': {
      const own = collection.columns.get(condition.attribute)!;
      const isInside = own.dictionary.kind === 'presence' && condition.comparison !== 'isNull';
      const column = isInside ? collection.jsonTexts.get(condition.attribute)! : own;
      const codes = codesFor(column.dictionary, condition, view.budget);
      view.budget.charge(countingCost(codes));
      return valuesPlan(collection, column, codes, condition);
    }
    case 'related': {
      const { attribute } = condition;
      const { target, links } = follow(view, collection, attribute);
      const inner = planFilter(view, target, condition.condition);
      const perTarget = target.rowCount === 0 ? 0 : links.reverse.targets.length / target.rowCount;
      const estimate = Math.min(rowCount, Math.ceil(inner.estimate * perTarget));
      const unlinked = isTrueOfNulls(condition.condition);
      const reachable = view.reachable(target);
      return { kind: 'hop', collection, attribute, links, inner, unlinked, reachable, estimate };
    }
    case 'not': {
      const inner = planFilter(view, collection, condition.condition);
      return { kind: 'except', collection, inner, estimate: rowCount };
    }
    default: {
      const parts = condition.conditions.map((part) => planFilter(view, collection, part));
      if (condition.kind === 'any') {
        if (parts.length === 0) return { kind: 'nothing', collection, estimate: 0 };
        const sum = parts.reduce((total, part) => total + part.estimate, 0);
        return { kind: 'or', collection, parts, estimate: Math.min(rowCount, sum) };
      }
      if (parts.length === 0) return { kind: 'everything', collection, estimate: rowCount };
      return planAll(collection, parts);
    }
  }
}

/** What it costs to count the rows that have one of the codes. */
function countingCost(set: CodeSet): number {
  switch (set.kind) {
    case 'ranges':
      return 0;
    case 'list':
      return set.codes.length * codeCost;
    case 'bits':
      return set.codes.words.length * wordCost + set.codes.count() * codeCost;
  }
}

/** A plan for rows that are kept ready. */
export function planSet(collection: Collection, seen: VisibleRowSet, visibility: Scope): Plan {
  return { kind: 'set', collection, seen, visibility, estimate: seen.count };
}

/** A plan for all of several parts: the fewest rows first. */
export function planAll(collection: Collection, parts: readonly Plan[]): Plan {
  if (parts.length === 1) return parts[0];
  const ordered: Plan[] = [];
  for (const part of parts) {
    if (part.kind === 'and') ordered.push(...part.parts);
    else ordered.push(part);
  }
  ordered.sort((a, b) => a.estimate - b.estimate);
  return { kind: 'and', collection, parts: ordered, estimate: ordered[0].estimate };
}

/** Whether a condition is true of a row of nulls, which stands for nothing related. */
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
  }
}
