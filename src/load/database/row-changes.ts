/** What differs between the rows of two states of a database. */
import type { IdTable } from '../../core/sets/id-table.ts';

/** A table whose rows are compared. */
export interface MarkedTable {
  readonly name: string;
  /** The column whose value is kept for each row, if there is one. */
  readonly kept: string | null;
  /** The columns that are read, without `id`. */
  readonly columns: readonly string[];
}

/** The rows of a table that may differ. */
export interface TableChanges {
  /** Rows that are new or changed, and perhaps some that are the same. */
  readonly written: readonly number[];
  readonly gone: readonly number[];
  /** By id: the kept column of each row, 0 without one. */
  readonly before: IdTable;
  readonly after: IdTable;
}

/** By table. Without tables that are the same. */
export type RowChanges = ReadonlyMap<string, TableChanges>;

/** The changes from an earlier state, and the marks of this one. */
export interface FoundChanges<Marks> {
  readonly changes: RowChanges;
  readonly marks: Marks;
}
