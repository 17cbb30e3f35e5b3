import type { DatabaseContent } from '../database-content.ts';
import type { DatabaseState, StagedContent, StateOpener } from '../database-state.ts';
import type { ServerLocation } from '../location.ts';
import { SharedConnection } from '../shared-connection.ts';
import { databaseSchema } from '../stored-types.ts';
import { markReader } from './commit-mark.ts';
import { MysqlConnection } from './mysql-connection.ts';
import { MysqlState } from './mysql-state.ts';
import { stageContent } from './staged-content.ts';

/** A connection, and what reads marks over it. */
interface MarkedConnection {
  readonly connection: MysqlConnection;
  readonly isLost: boolean;
  readMark(): Promise<string>;
  destroy(): void;
}

/** A state is a transaction. */
export interface OpenedMysqlState extends DatabaseState {
  readonly database: MysqlState;
  /** As `DatabaseState.stage`. `inLastState` is as in `stageContent`. */
  stage(content: DatabaseContent, inLastState?: (state: OpenedMysqlState) => Promise<void>): Promise<StagedContent>;
}

/** Opens states of a database and looks at it, over one connection. */
export class MysqlStates implements StateOpener<OpenedMysqlState> {
  readonly #shared: SharedConnection<MarkedConnection>;

  constructor(location: ServerLocation) {
    this.#shared = new SharedConnection(() => connect(location));
  }

  /** Returns the mark of the state that would be opened now. A replica is not told apart. Rejects with a SnapshotError. */
  async look(): Promise<{ mark: string; isStandby: boolean }> {
    const { connection, release } = await this.#shared.borrow();
    try {
      return { mark: await connection.readMark(), isStandby: false };
    } finally {
      release();
    }
  }

  async open(): Promise<OpenedMysqlState> {
    const { connection, release } = await this.#shared.borrow();
    try {
      const mark = await connection.readMark();
      const database = await MysqlState.open(connection.connection);
      let isOpen = true;
      const close = async () => {
        if (!isOpen) return;
        isOpen = false;
        await database.close();
        release();
      };
      const stage: OpenedMysqlState['stage'] = async (content, inLastState = async () => {}) => {
        const schema = await databaseSchema(database);
        // the content is read in other transactions
        await close();
        return stageContent(() => this.open(), content, schema, inLastState);
      };
      return { database, mark, openedAt: database.readAt, stage, close };
    } catch (error) {
      release();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#shared.close();
  }
}

async function connect(location: ServerLocation): Promise<MarkedConnection> {
  const connection = await MysqlConnection.open(location);
  try {
    return {
      connection,
      get isLost() {
        return connection.isLost;
      },
      readMark: await markReader(connection),
      destroy: () => connection.destroy(),
    };
  } catch (error) {
    connection.destroy();
    throw error;
  }
}
