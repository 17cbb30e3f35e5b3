/** What differs between databases that are followed: how a change is noticed, and how the changed rows are found. */
import type { Batch } from '../../changes/batch/batch.ts';
import type { DatabaseContent } from '../../load/database/database-content.ts';
import type { DatabaseState, StagedContent, StateOpener } from '../../load/database/database-state.ts';
import type { LinkTable, TableMapping, TypeTable } from '../../load/database/table-mapping.ts';
import type { Extent } from '../project/comparison-schedule.ts';

export interface FollowedDatabase {
  readonly watch: ChangeWatch;
  /** Whether the marks of a state tell of every change, so that a comparison of all entries finds no others. */
  readonly isExact: boolean;
  /** Returns another opener. States of two openers can be open at the same time. */
  createOpener(): StateOpener<TrackedState>;
}

/** Looks for commits to a database. */
export interface ChangeWatch {
  /** The milliseconds until a look is due. It is due earlier after a write that the watch was told of. */
  readonly untilLook: number;
  /** Whether the database is a copy of another one, which it may lag behind. */
  readonly isStandby?: boolean;
  /**
   * Looks at the database. Returns a text that differs after each commit, and may differ without one: the mark of the state
   * that would be opened now. Cheap enough to be called ten times a second. Rejects with a SnapshotError.
   */
  mark(): Promise<string>;
  /** Whether a mark is that of a transaction that has written and is not committed. Its commit changes the mark. */
  isUnderWay(mark: string): boolean;
  close(): Promise<void>;
}

/** A state that can be compared with an earlier state of the same database without reading all rows. */
export interface TrackedState extends DatabaseState {
  stage?(content: DatabaseContent): Promise<TrackedContent>;
  /**
   * Begins to track the tables of a mapping, by comparison with the marks of an earlier state. Without marks, everything
   * counts as changed, and all rows are about to be read.
   */
  track(mapping: TableMapping, before: TableMarks | null, extent: Extent): TableTracking;
  /** Returns why this state cannot be compared with that of the marks, as a clause for the log, or null. */
  incomparable?(before: TableMarks): string | null;
}

/** A content that was read whole, with the marks of its state. */
export interface TrackedContent extends StagedContent {
  readonly marks: TableMarks;
}

/** What one state of a database says about its tables, to find what differs in a later state. Immutable. */
export interface TableMarks {
  /** The kind of database that made the marks. */
  readonly client: string;
}

/** The rows of a content type that may differ from those of an earlier state, by id. */
export interface ChangedEntries {
  /** Rows that are new or changed. */
  readonly changed: readonly number[];
  /** Rows that may have changed without a trace. */
  readonly uncertain: readonly number[];
  /** Rows that were deleted. */
  readonly gone: readonly number[];
}

/** Finds what differs from an earlier state, and notes the marks of this state. */
export interface TableTracking {
  /**
   * Returns the changes of the rows of a content type, without those of their components. `ids` are the ids of its rows in
   * the earlier state, ascending. Returns null if the changes are unknown, so that all rows have to be read. To be called
   * once for each content type.
   */
  entries(type: TypeTable, ids: Float64Array): Promise<ChangedEntries | null>;
  /** Whether the rows of a content type with all their components are surely the same. To be called after `entries`. */
  hasSameEntries(uid: string): Promise<boolean>;
  /** Whether the links of a table are surely the same. */
  hasSameLinks(table: LinkTable): Promise<boolean>;
  /**
   * Returns the rows whose lists of links in a table may differ, by their ids in `listColumn`, without those of rows that are
   * new or deleted. Null: any list. Without the function, any list may differ.
   */
  changedLists?(table: LinkTable): Promise<ReadonlySet<number> | null>;
  /** Notes that the links of a table are read from this state. `longest` is the most characters of text in a link. */
  readLinks(table: LinkTable, longest: number): Promise<void>;
  /** Returns the marks of this state. `batch` is what was found to differ, null after a first read. */
  finish(batch: Batch | null): Promise<TableMarks>;
}
