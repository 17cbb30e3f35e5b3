/** States of a database that are read one after the other. */
import { SourceAwayError } from '../../core/errors.ts';
import type { Database } from './database.ts';
import type { DatabaseContent } from './database-content.ts';

/** A state has been open for as long as its database allows. What it was to be read for is too much for one state. */
export class ExpiredStateError extends SourceAwayError {}

/** A consistent state of a database. */
export interface DatabaseState {
  /** Open until the state is closed. Is not closed by itself. */
  readonly database: Database;
  /** A text that differs for other states. The state may be newer than the mark says, never older. */
  readonly mark: string;
  /** A time before the state was opened, in milliseconds since 1970. */
  readonly openedAt: number;
  /**
   * Reads a whole content, where a state may not stay open for as long as that takes. The content is that of one state, which
   * may be newer. The database of this state cannot be used then. Rejects with a SnapshotError.
   */
  stage?(content: DatabaseContent): Promise<StagedContent>;
  /** To be called before the next state is opened. */
  close(): Promise<void>;
}

/** A content that was read whole. */
export interface StagedContent {
  readonly content: DatabaseContent;
  /** As `DatabaseState.mark`, of the state of the content. */
  readonly mark: string;
}

/** Opens states of one database, one after the other. */
export interface StateOpener<State extends DatabaseState = DatabaseState> {
  /** Opens the last committed state. Rejects with a SnapshotError if the database cannot be read. */
  open(): Promise<State>;
  /** Ends connections and removes files. To be called when no state is open or being opened. */
  close(): Promise<void>;
}
