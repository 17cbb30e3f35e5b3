import type { DatabaseContent } from '../../../load/database/database-content.ts';
import type { StateOpener } from '../../../load/database/database-state.ts';
import type { ServerLocation } from '../../../load/database/location.ts';
import { PostgresClient } from '../../../load/database/postgres/postgres-client.ts';
import { PostgresStates } from '../../../load/database/postgres/postgres-states.ts';
import type { FollowedDatabase, TableMarks, TrackedState } from '../followed-database.ts';
import { PollingWatch } from '../polling-watch.ts';
import { PostgresMarks, PostgresTracking } from './postgres-tracking.ts';

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
      // a first read is staged, so that there are marks
      track: (mapping, before) => new PostgresTracking(state, mapping, before as PostgresMarks),
      incomparable: (before: TableMarks) =>
        before instanceof PostgresMarks ? before.incomparable(state) : 'the project has another database',
    };
  }

  /** The connection ends with the watch. */
  async close(): Promise<void> {}
}
