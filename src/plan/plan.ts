import type { VisibleRowSet } from '../derived/visible-row-set.ts';
import type { Scope } from '../derived/visible-rows.ts';
import type { ValueCondition } from '../query/bound.ts';
import { operatorName } from '../query/operators.ts';
import type { AdjacencyPair } from '../sets/adjacency.ts';
import type { BitSet } from '../sets/bit-set.ts';
import type { CodeSet } from '../sets/code-set.ts';
import type { Collection } from '../store/collection.ts';
import type { Column } from '../store/column.ts';

/** How a filter is answered: data that can be run and printed. `estimate` is a number of rows. */
export type Plan =
  | { readonly kind: 'everything' | 'nothing'; readonly collection: Collection; readonly estimate: number }
  /** Rows that are kept ready, such as those of a status. */
  | {
      readonly kind: 'set';
      readonly collection: Collection;
      readonly seen: VisibleRowSet;
      /** What the rows have in common. */
      readonly visibility: Scope;
      readonly estimate: number;
    }
  /** The rows of a column that have one of the codes; their number is known, not estimated. */
  | {
      readonly kind: 'values';
      readonly collection: Collection;
      readonly column: Column;
      readonly codes: CodeSet;
      /** The rows, where they are kept; not to be changed. */
      readonly kept: BitSet | null;
      /** What the codes stand for. */
      readonly condition: ValueCondition;
      readonly estimate: number;
    }
  /**
   * The rows that are linked to a row of the inner plan; `unlinked`: those linked to nothing too. Links to rows outside
   * `reachable` (null: all) count as none.
   */
  | {
      readonly kind: 'hop';
      readonly collection: Collection;
      readonly attribute: string;
      readonly links: AdjacencyPair;
      readonly inner: Plan;
      readonly unlinked: boolean;
      readonly reachable: BitSet | null;
      readonly estimate: number;
    }
  /** An anti-join: every row that is not among those of the inner plan, a semi-join over a relation. */
  | {
      readonly kind: 'except';
      readonly collection: Collection;
      readonly inner: Plan;
      /** An upper bound. An estimate that is too low would let a path through this plan cost more than it is charged. */
      readonly estimate: number;
    }
  /** Parts in the order in which they are run: for `and` the fewest rows first. */
  | {
      readonly kind: 'and' | 'or';
      readonly collection: Collection;
      readonly parts: readonly Plan[];
      readonly estimate: number;
    };

export type SemiJoin = Plan & { readonly kind: 'hop' };

/** A plan for the rows of a column that have one of the codes. */
export function valuesPlan(collection: Collection, column: Column, codes: CodeSet, condition: ValueCondition): Plan {
  const estimate = column.countRows(codes);
  return { kind: 'values', collection, column, codes, kept: column.cachedRows(codes), condition, estimate };
}

/** The plan as lines of text, inner parts indented. `count` gives the real number of rows of a part, or null. */
export function printPlan(plan: Plan, count: (part: Plan) => number | null, indent = ''): string {
  const rows = count(plan);
  const real = rows === null ? '' : `, really ${rows}`;
  const line = (text: string) => `${indent}${text}  (~${plan.estimate}${real} of ${plan.collection.rowCount})\n`;
  switch (plan.kind) {
    case 'set':
      return line(`${plan.collection.type.uid}: ${seen(plan.visibility)}`);
    case 'values':
      return line(`${plan.collection.type.uid}: ${inWords(plan.condition)}`);
    case 'hop': {
      const unlinked = plan.unlinked ? ', or nothing linked' : '';
      const text = `${plan.collection.type.uid}: through ${plan.attribute}${unlinked}`;
      return line(text) + printPlan(plan.inner, count, `${indent}  `);
    }
    case 'except':
      return line(`${plan.collection.type.uid}: every row except`) + printPlan(plan.inner, count, `${indent}  `);
    case 'and':
    case 'or':
      return line(plan.kind) + plan.parts.map((part) => printPlan(part, count, `${indent}  `)).join('');
    default:
      return line(`${plan.collection.type.uid}: ${plan.kind}`);
  }
}

function seen({ status, locale, publication }: Scope): string {
  return [status, locale === null ? null : `locale ${locale}`, publication].filter(Boolean).join(', ');
}

function inWords({ attribute, comparison: test, operands, negated }: ValueCondition): string {
  return [attribute, operatorName(test, negated), ...operands.map((operand) => JSON.stringify(operand))].join(' ');
}
