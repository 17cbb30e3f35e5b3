import type { Database } from '../../../load/database/database.ts';
import type { DatabaseContent } from '../../../load/database/database-content.ts';
import type { DatabaseState, StateOpener } from '../../../load/database/database-state.ts';
import type { ServerLocation } from '../../../load/database/location.ts';
import { MysqlStates } from '../../../load/database/mysql/mysql-states.ts';
import { type Checksums, readChecksums } from '../../../load/database/mysql/staged-content.ts';
import { type TableMapping, tableNames } from '../../../load/database/table-mapping.ts';
import type { FollowedDatabase, TableMarks, TrackedState } from '../followed-database.ts';
import { PollingWatch } from '../polling-watch.ts';
import { type TableChecksums, TimeTracking } from '../time-tracking.ts';

/** Milliseconds between two looks, each of which takes up to 0.6 ms of the server. */
const shortestPause = 250;

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
    return {
      ...state,
      stage(content: DatabaseContent) {
        return state.stageWith<TableMarks>(content, (last, checksums, before) =>
          readMarks(last, content.tables.mapping, checksums, before),
        );
      },
      track: (mapping, before, extent) =>
        new TimeTracking(state, mapping, mysqlChecksums(state.database, mapping), before, extent),
    };
  }

  /** The connection ends with the watch. */
  async close(): Promise<void> {}
}

/** Reads the marks of a state whose checksums are known. */
async function readMarks(
  state: DatabaseState,
  mapping: TableMapping,
  checksums: Checksums,
  before: TableMarks | null,
): Promise<TableMarks> {
  const known = mysqlChecksums(state.database, mapping, checksums);
  const tracking = new TimeTracking(state, mapping, known, before, 'everything');
  for (const type of mapping.types.values()) if (!type.isComponent) await tracking.entries(type);
  for (const table of mapping.links) await tracking.readLinks(table, 0);
  return tracking.finish(null);
}

/**
 * Returns the checksums of tables that the server computes of all columns, in the transaction of a state: those of entries and
 * links by one statement, those of components by another one when they are needed.
 */
function mysqlChecksums(database: Database, mapping: TableMapping, known?: Checksums): TableChecksums {
  const entries = Array.from(mapping.types.values()).flatMap(({ isComponent, table }) => (isComponent ? [] : [table]));
  const common = new Set([...entries, ...mapping.links.map(({ table }) => table)]);
  const components = tableNames(mapping).filter((table) => !common.has(table));
  let ofCommon: Promise<Checksums> | null = null;
  let ofComponents: Promise<Checksums> | null = null;
  const checksum = async (table: string) => {
    if (known) return known.get(table)!;
    if (common.has(table)) return (await (ofCommon ??= readChecksums(database, [...common]))).get(table)!;
    return (await (ofComponents ??= readChecksums(database, components))).get(table)!;
  };
  return {
    timesCoverRows: true,
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
