import type { BitSet } from '../sets/bit-set.ts';
import type { CodeRange } from '../sets/code-set.ts';
import type { Column } from '../store/column.ts';
import type { PrefixCounts } from './prefix-counts.ts';
import type { Corrections } from './scope.ts';

/** The visible rows of a segment, and their number. */
export class VisibleSet {
  /** Shared: do not change them. */
  readonly rows: BitSet;
  readonly count: number;
  readonly #counts: PrefixCounts;
  readonly #corrections: Corrections | null;

  /** `counts` are those of the rows before the corrections. */
  constructor(rows: BitSet, count: number, counts: PrefixCounts, corrections: Corrections | null = null) {
    this.rows = rows;
    this.count = count;
    this.#counts = counts;
    this.#corrections = corrections;
  }

  /** Returns how many of the rows have one of the codes, as PrefixCounts does, and corrects the number. */
  countWith(column: Column, codes: readonly CodeRange[]): number {
    const count = this.#counts.countWith(column, codes);
    if (!this.#corrections) return count;
    const { removed, added } = this.#corrections;
    const hasCode = column.rowPredicate({ kind: 'ranges', ranges: codes });
    return count - removed.filter(hasCode).length + added.filter(hasCode).length;
  }
}
