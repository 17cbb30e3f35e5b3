import type { StateOpener } from '../../../load/database/database-state.ts';
import type { SqliteLocation } from '../../../load/database/location.ts';
import { SqliteStates } from '../../../load/database/sqlite/sqlite-states.ts';
import type { FollowedDatabase, TrackedState } from '../followed-database.ts';
import { SqliteWatch } from './sqlite-watch.ts';
import { sqliteChecksums } from './table-checksums.ts';
import { TimeTracking } from './time-tracking.ts';

/** Follows a SQLite database by the files beside it, and compares copies of it. */
export function followSqlite({ file }: SqliteLocation, onWrite: () => void): FollowedDatabase {
  return { watch: new SqliteWatch(file, onWrite), isExact: false, createOpener: () => new TrackedCopies(file) };
}

class TrackedCopies implements StateOpener<TrackedState> {
  readonly #states: SqliteStates;

  constructor(file: string) {
    this.#states = new SqliteStates(file);
  }

  async open(): Promise<TrackedState> {
    const state = await this.#states.open();
    const checksums = sqliteChecksums(state);
    return {
      ...state,
      track: (mapping, before, extent) => new TimeTracking(state, mapping, checksums, before, extent),
    };
  }

  close(): Promise<void> {
    return this.#states.close();
  }
}
