/** States of a database that are read one after the other. */
import type { Database } from './database.ts';

/** A consistent state of a database. */
export interface DatabaseState {
  /** Open until the state is closed. Is not closed by itself. */
  readonly database: Database;
  /** A text that differs for other states. The state may be newer than the mark says, never older. */
  readonly mark: string;
  /** A time before the state was opened, in milliseconds since 1970. */
  readonly openedAt: number;
  /** To be called before the next state is opened. */
  close(): Promise<void>;
}

/** Opens states of one database, one after the other. */
export interface StateOpener<State extends DatabaseState = DatabaseState> {
  /** Opens the last committed state. Rejects with a SnapshotError if the database cannot be read. */
  open(): Promise<State>;
  /** Ends connections and removes files. To be called when no state is open or being opened. */
  close(): Promise<void>;
}
