import type { BitSet } from '../../core/sets/bit-set.ts';
import type { CodeSet } from '../../core/sets/code-set.ts';
import { joinRows } from '../../core/sets/row-set.ts';
import type { Column } from '../../store/columns/column.ts';
import type { AdjacencyPair } from '../../store/links/adjacency.ts';
import type { Delta } from '../../store/overlay/delta.ts';
import type { DeltaColumn } from '../../store/overlay/delta-column.ts';
import type { Segment } from '../../store/segment.ts';
import type { ValueCondition } from '../bound.ts';
import type { JoinedValues } from '../visible/joined-columns.ts';
import type { Scope } from '../visible/scope.ts';
import type { VisibleSet } from '../visible/visible-set.ts';

/**
 * The plan of one segment: what `run/` executes. `estimate` is the expected number of rows. A node may select
 * dead rows; the rows of `visible` and the `reachable` rows of a semi-join are without them.
 */
export type Plan =
  | { readonly kind: 'everything' | 'nothing'; readonly segment: Segment; readonly estimate: number }
  /** The rows that a scope makes visible. */
  | {
      readonly kind: 'visible';
      readonly segment: Segment;
      readonly visible: VisibleSet;
      readonly scope: Scope;
      readonly estimate: number;
    }
  /**
   * The rows of a column that have one of the codes. `changed` is the same for the delta; null without one. Then
   * `estimate` is exact, otherwise it is an upper bound.
   */
  | {
      readonly kind: 'values';
      readonly segment: Segment;
      readonly column: Column;
      readonly codes: CodeSet;
      readonly changed: ChangedValues | null;
      readonly condition: ValueCondition;
      readonly estimate: number;
    }
  /**
   * The rows that are linked to a row of the inner plan; with `matchesUnlinked` also those that are linked to nothing.
   * Links to rows outside `reachable` (null: all rows) do not count.
   */
  | {
      readonly kind: 'semiJoin';
      readonly segment: Segment;
      readonly attribute: string;
      readonly links: AdjacencyPair;
      readonly inner: Plan;
      readonly matchesUnlinked: boolean;
      readonly reachable: BitSet | null;
      /** The same as a comparison, where there is a column for it. */
      readonly joined: JoinedValues | null;
      readonly estimate: number;
    }
  /** All rows except those of the inner plan, a semi-join. `estimate` is an upper bound: all rows. */
  | { readonly kind: 'antiJoin'; readonly segment: Segment; readonly inner: Plan; readonly estimate: number }
  | {
      readonly kind: 'and' | 'or';
      readonly segment: Segment;
      readonly parts: readonly Plan[];
      readonly estimate: number;
    };

/** The delta rows of a column that have one of the codes. */
export interface ChangedValues {
  readonly delta: Delta;
  readonly column: DeltaColumn;
  readonly codes: CodeSet;
}

export type Values = Plan & { readonly kind: 'values' };
export type SemiJoin = Plan & { readonly kind: 'semiJoin' };

/** Returns the rows that a comparison selects as an ascending list, for where they are few. */
export function fewRowsOf({ column, codes, changed }: Values): Uint32Array {
  const stored = column.rowListWithCodes(codes);
  if (!changed) return stored;
  const { delta } = changed;
  const kept = stored.filter((row) => !delta.replaced.has(row));
  const others = changed.column.rowListWithCodes(changed.codes);
  if (others.length === 0) return kept;
  return joinRows(
    kept,
    others.map((row) => delta.rows[row]),
  ).sort();
}
