import type { DatabaseContent } from '../../../load/database/database-content.ts';
import type { StateOpener } from '../../../load/database/database-state.ts';
import type { ServerLocation } from '../../../load/database/location.ts';
import { PostgresClient } from '../../../load/database/postgres/postgres-client.ts';
import { PostgresStates } from '../../../load/database/postgres/postgres-states.ts';
import type { ChangeWatch, FollowedDatabase, TableMarks, TrackedState } from '../followed-database.ts';
import { PostgresMarks, PostgresTracking } from './postgres-tracking.ts';

/** Follows a PostgreSQL database by the transactions that wrote its rows, over one connection. */
export function followPostgres(location: ServerLocation, longestPause: number): FollowedDatabase {
  const client = new PostgresClient(location);
  return {
    watch: new PostgresWatch(client, longestPause),
    isExact: true,
    createOpener: () => new TrackedStates(client),
  };
}

/** Milliseconds between two looks, and by how much of the time without a commit the pause grows, up to the longest. */
const shortestPause = 100;
const pauseShare = 0.05;

/** Looks for commits. Looks become rarer while there are none, where the longest pause allows it. */
export class PostgresWatch implements ChangeWatch {
  readonly #client: PostgresClient;
  readonly #longestPause: number;
  #mark = '';
  #isStandby = false;
  #since = performance.now();

  /** `longestPause` is in milliseconds. */
  constructor(client: PostgresClient, longestPause: number) {
    this.#client = client;
    this.#longestPause = longestPause;
  }

  get untilLook(): number {
    const grown = (performance.now() - this.#since) * pauseShare;
    return Math.max(shortestPause, Math.min(this.#longestPause, grown));
  }

  get isStandby(): boolean {
    return this.#isStandby;
  }

  async mark(): Promise<string> {
    const { mark, isStandby } = await this.#client.look();
    this.#isStandby = isStandby;
    if (mark !== this.#mark) this.#since = performance.now();
    this.#mark = mark;
    return mark;
  }

  /** A commit always changes the mark. */
  isUnderWay(): boolean {
    return false;
  }

  async close(): Promise<void> {
    this.#client.close();
  }
}

/** Opens states over a connection that others use, too. */
class TrackedStates implements StateOpener<TrackedState> {
  readonly #states: PostgresStates;

  constructor(client: PostgresClient) {
    this.#states = new PostgresStates(client);
  }

  async open(): Promise<TrackedState> {
    const state = await this.#states.open();
    let staged: PostgresMarks | null = null;
    return {
      ...state,
      async stage(content: DatabaseContent) {
        const found = await state.stage(content);
        staged = new PostgresMarks(found.marks, state.server);
        return found;
      },
      track: (mapping, before) => new PostgresTracking(state, mapping, before, staged),
      incomparable: (before: TableMarks) =>
        before instanceof PostgresMarks ? before.incomparable(state) : 'the project has another database',
    };
  }

  /** The connection ends with the watch. */
  async close(): Promise<void> {}
}
