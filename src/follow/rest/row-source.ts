import type { Shown } from './read-row.ts';
import type { Slice } from './slices.ts';

export interface Page {
  readonly rows: readonly Shown[];
  /** The page that follows begins after this id. Null after the last page. */
  readonly next: number | null;
}

/** Reads the rows of slices. All functions reject with a SnapshotError. */
export interface RowSource {
  /** Returns the rows with the smallest ids after `after`, in the order of their ids, with all that is served of them. */
  page(slice: Slice, after: number): Promise<Page>;
  /** Returns the rows with the given ids, at most 100, in any order. Rows that no longer exist are missing. */
  byIds(slice: Slice, ids: readonly number[]): Promise<readonly Shown[]>;
  /** Returns all rows of documents, at most 100. */
  byDocumentIds(slice: Slice, documentIds: readonly string[]): Promise<readonly Shown[]>;
  /**
   * Returns the given attributes of the rows with the smallest ids after `after`, without links. `filters` select among
   * them, for slices whose type has pages.
   */
  scan(slice: Slice, after: number, fields: readonly string[], filters?: object): Promise<Page>;
  /** Returns the number of rows, or null if it cannot be asked for. */
  count(slice: Slice): Promise<number | null>;
}
