import type { DatabaseContent } from '../../../load/database/database-content.ts';
import type { StateOpener } from '../../../load/database/database-state.ts';
import type { ServerLocation } from '../../../load/database/location.ts';
import { MysqlStates } from '../../../load/database/mysql/mysql-states.ts';
import { findChanges, type RowDigests } from '../../../load/database/mysql/row-digests.ts';
import type { FollowedDatabase, TableMarks, TrackedState } from '../followed-database.ts';
import { PollingWatch } from '../polling-watch.ts';
import { RowTracking } from '../row-tracking.ts';

/** Milliseconds between two looks, each of which takes up to 0.6 ms of the server. */
const shortestPause = 250;

/** Follows a MySQL or MariaDB database by the commits that its server counts, and compares checksums of rows. */
export function followMysql(location: ServerLocation, longestPause: number): FollowedDatabase {
  const states = new MysqlStates(location);
  return {
    watch: new PollingWatch(states, { shortest: shortestPause, longest: longestPause }),
    isExact: true,
    createOpener: () => new TrackedTransactions(states),
  };
}

interface MysqlMarks extends TableMarks {
  readonly client: 'mysql';
  readonly digests: RowDigests;
}

/** Opens states over a connection that others use, too. */
class TrackedTransactions implements StateOpener<TrackedState> {
  readonly #states: MysqlStates;

  constructor(states: MysqlStates) {
    this.#states = states;
  }

  async open(): Promise<TrackedState> {
    const state = await this.#states.open();
    return {
      ...state,
      async stage(content: DatabaseContent) {
        const staged = await state.stage(content);
        return { ...staged, marks: marksOf(staged.marks) };
      },
      track: (mapping, before) =>
        new RowTracking(state.database, mapping, async (tables) => {
          // a first read is staged, so that there are marks
          const found = await findChanges(state.database, tables, (before as MysqlMarks).digests);
          return { changes: found.changes, marks: marksOf(found.marks) };
        }),
      incomparable: ({ client }) => (client === 'mysql' ? null : 'the project has another database'),
    };
  }

  /** The connection ends with the watch. */
  async close(): Promise<void> {}
}

function marksOf(digests: RowDigests): MysqlMarks {
  return { client: 'mysql', digests };
}
