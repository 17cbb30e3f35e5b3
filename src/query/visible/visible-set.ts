import type { BitSet } from '../../core/sets/bit-set.ts';
import type { CodeRange, CodeSet } from '../../core/sets/code-set.ts';
import type { Column } from '../../store/columns/column.ts';
import type { PrefixCounts } from './prefix-counts.ts';
import type { Corrections } from './scope.ts';

/** The visible rows of a segment, and their number. */
export class VisibleSet {
  /** Shared: do not change them. */
  readonly rows: BitSet;
  readonly count: number;
  readonly #counts: PrefixCounts;
  readonly #corrections: Corrections | null;

  /** `counts` count the rows without the corrections. */
  constructor(rows: BitSet, count: number, counts: PrefixCounts, corrections: Corrections | null = null) {
    this.rows = rows;
    this.count = count;
    this.#counts = counts;
    this.#corrections = corrections;
  }

  /**
   * Returns the number of rows with one of the codes: `codes` of a column of the collection, and `changed` for rows in
   * the delta. Counts as PrefixCounts does, and tests the rows that changed.
   */
  countWith(column: Column, codes: readonly CodeRange[], changed: CodesOfColumn | null = null): number {
    const count = this.#counts.countWith(column, codes);
    if (!this.#corrections) return count;
    const { removed, added, changed: changedRows } = this.#corrections;
    const hasCode = column.rowPredicate({ kind: 'ranges', ranges: codes });
    const stored = count - countWhere(removed, hasCode) + countWhere(added, hasCode);
    return changed ? stored + countWhere(changedRows, changed.column.rowPredicate(changed.codes)) : stored;
  }
}

/** Some codes of a column. */
interface CodesOfColumn {
  readonly column: Column;
  readonly codes: CodeSet;
}

function countWhere(rows: readonly number[], test: (row: number) => boolean): number {
  let count = 0;
  for (let i = 0; i < rows.length; i++) if (test(rows[i])) count++;
  return count;
}
