import type { DatabaseContent } from '../../../load/database/database-content.ts';
import type { StateOpener } from '../../../load/database/database-state.ts';
import type { ServerLocation } from '../../../load/database/location.ts';
import { MysqlStates, type OpenedMysqlState } from '../../../load/database/mysql/mysql-states.ts';
import { readChecksums } from '../../../load/database/mysql/staged-content.ts';
import type { TableMapping } from '../../../load/database/table-mapping.ts';
import type { FollowedDatabase, TableMarks, TableTracking, TrackedState } from '../followed-database.ts';
import { PollingWatch } from '../polling-watch.ts';
import { type TableChecksums, TimeTracking } from '../time-tracking.ts';

/** Milliseconds between two looks, each of which takes up to 0.6 ms of the server. */
const shortestPause = 200;

/** Follows a MySQL or MariaDB database by the commits that its server counts, and compares checksums of tables. */
export function followMysql(location: ServerLocation, longestPause: number): FollowedDatabase {
  const states = new MysqlStates(location);
  return {
    watch: new PollingWatch(states, { shortest: shortestPause, longest: longestPause }),
    isExact: false,
    createOpener: () => new TrackedTransactions(states),
  };
}

/** Opens states over a connection that others use, too. */
class TrackedTransactions implements StateOpener<TrackedState> {
  readonly #states: MysqlStates;

  constructor(states: MysqlStates) {
    this.#states = states;
  }

  async open(): Promise<TrackedState> {
    const state = await this.#states.open();
    let staged: TableMarks | null = null;
    return {
      ...state,
      stage: (content: DatabaseContent) =>
        state.stage(content, async (last) => {
          staged = await marksOf(last, content.tables.mapping);
        }),
      track: (mapping, before, extent) =>
        staged ? new StagedTracking(staged) : new TimeTracking(state, mapping, mysqlChecksums(state), before, extent),
    };
  }

  /** The connection ends with the watch. */
  async close(): Promise<void> {}
}

/** Reads the marks of a state whose content is known. */
async function marksOf(state: OpenedMysqlState, mapping: TableMapping): Promise<TableMarks> {
  const tracking = new TimeTracking(state, mapping, mysqlChecksums(state), null, 'everything');
  for (const type of mapping.types.values()) if (!type.isComponent) await tracking.entries(type);
  for (const table of mapping.links) await tracking.readLinks(table, 0);
  return tracking.finish(null);
}

/** Has the marks of a content that was read whole. */
class StagedTracking implements TableTracking {
  readonly #marks: TableMarks;

  constructor(marks: TableMarks) {
    this.#marks = marks;
  }

  async entries(): Promise<null> {
    return null;
  }

  async hasSameEntries(): Promise<boolean> {
    return false;
  }

  async hasSameLinks(): Promise<boolean> {
    return false;
  }

  async readLinks(): Promise<void> {}

  async finish(): Promise<TableMarks> {
    return this.#marks;
  }
}

/** Returns the checksums of tables that the server computes of all columns, in the transaction of a state. */
function mysqlChecksums({ database }: OpenedMysqlState): TableChecksums {
  const known = new Map<string, Promise<string>>();
  const checksum = (table: string) => {
    let found = known.get(table);
    if (!found) known.set(table, (found = readChecksums(database, [table]).then((found) => found.get(table)!)));
    return found;
  };
  return {
    times: checksum,
    links: ({ table }) => checksum(table),
    linksWithTexts: ({ table }) => checksum(table),
    rows: checksum,
    timeValue: localTime,
  };
}

/** Returns a time as Strapi writes it: the local time of its process, without a zone. */
function localTime(milliseconds: number): string {
  const date = new Date(milliseconds);
  const local = new Date(milliseconds - date.getTimezoneOffset() * 60_000).toISOString();
  return local.replace('T', ' ').replace('Z', '');
}
