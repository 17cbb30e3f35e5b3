import type { DatabaseContent } from '../../../load/database/database-content.ts';
import type { StateOpener } from '../../../load/database/database-state.ts';
import type { ServerLocation } from '../../../load/database/location.ts';
import { PostgresClient } from '../../../load/database/postgres/postgres-client.ts';
import { type OpenedPostgresState, PostgresStates } from '../../../load/database/postgres/postgres-states.ts';
import { areOutdated, findChanges, type StateMarks } from '../../../load/database/postgres/row-changes.ts';
import type { FollowedDatabase, TableMarks, TrackedState } from '../followed-database.ts';
import { PollingWatch } from '../polling-watch.ts';
import { RowTracking } from '../row-tracking.ts';

/** Milliseconds between two looks, each of which takes 0.2 ms of the server. */
const shortestPause = 100;

/** Follows a PostgreSQL database by the transactions that wrote its rows, over one connection. */
export function followPostgres(location: ServerLocation, longestPause: number): FollowedDatabase {
  const client = new PostgresClient(location);
  return {
    watch: new PollingWatch(client, { shortest: shortestPause, longest: longestPause }),
    isExact: true,
    createOpener: () => new TrackedStates(client),
  };
}

/** Opens states over a connection that others use, too. */
class TrackedStates implements StateOpener<TrackedState> {
  readonly #states: PostgresStates;

  constructor(client: PostgresClient) {
    this.#states = new PostgresStates(client);
  }

  async open(): Promise<TrackedState> {
    const state = await this.#states.open();
    return {
      ...state,
      async stage(content: DatabaseContent) {
        const staged = await state.stage(content);
        return { ...staged, marks: new PostgresMarks(staged.marks, state.server) };
      },
      track: (mapping, before) =>
        new RowTracking(state.database, mapping, async (tables) => {
          // a first read is staged, so that there are marks
          const found = await findChanges(state.current, tables, (before as PostgresMarks).marks);
          return { changes: found.changes, marks: new PostgresMarks(found.marks, state.server) };
        }),
      incomparable: (before: TableMarks) =>
        before instanceof PostgresMarks ? before.incomparable(state) : 'the project has another database',
    };
  }

  /** The connection ends with the watch. */
  async close(): Promise<void> {}
}

/** The marks of a state, and the run of the server that had it. */
class PostgresMarks implements TableMarks {
  readonly client = 'postgres';
  readonly marks: StateMarks;
  readonly #server: string;

  constructor(marks: StateMarks, server: string) {
    this.marks = marks;
    this.#server = server;
  }

  /** Returns why a later state cannot be compared, as a clause for the log, or null. */
  incomparable(state: OpenedPostgresState): string | null {
    // after a crash or a failover, the last commits may be lost, and their numbers given to others
    if (state.server !== this.#server) return 'the server of the database was started again, or is another one';
    return areOutdated(this.marks, state.snapshot) ? 'too many transactions were begun since it was read' : null;
  }
}
