import type { DatabaseContent } from '../database-content.ts';
import type { DatabaseState, StagedContent, StateOpener } from '../database-state.ts';
import type { ServerLocation } from '../location.ts';
import { SharedConnection } from '../shared-connection.ts';
import { databaseSchema } from '../stored-types.ts';
import { createLook, type Look } from './commit-mark.ts';
import { MysqlConnection } from './mysql-connection.ts';
import { MysqlState } from './mysql-state.ts';
import { type ReadMarks, stageContent } from './staged-content.ts';

/** A connection, and what looks at the server over it. */
interface MarkedConnection {
  readonly connection: MysqlConnection;
  readonly isLost: boolean;
  look(): Promise<Look>;
  destroy(): void;
}

/** A state is a transaction. */
export interface OpenedMysqlState extends DatabaseState {
  readonly database: MysqlState;
  stage(content: DatabaseContent): Promise<StagedContent>;
  stageWith<Marks>(
    content: DatabaseContent,
    readMarks: ReadMarks<Marks>,
  ): Promise<StagedContent & { readonly marks: Marks }>;
}

/** Opens states of a database and looks at it, over one connection. */
export class MysqlStates implements StateOpener<OpenedMysqlState> {
  readonly #shared: SharedConnection<MarkedConnection>;

  constructor(location: ServerLocation) {
    this.#shared = new SharedConnection(() => connect(location));
  }

  /** Returns the mark of the state that would be opened now. Rejects with a SnapshotError. */
  async look(): Promise<Look> {
    const { connection, release } = await this.#shared.borrow();
    try {
      return await connection.look();
    } finally {
      release();
    }
  }

  async open(): Promise<OpenedMysqlState> {
    const { connection, release } = await this.#shared.borrow();
    try {
      const { mark } = await connection.look();
      const database = await MysqlState.open(connection.connection);
      let isOpen = true;
      const close = async () => {
        if (!isOpen) return;
        isOpen = false;
        await database.close();
        release();
      };
      const stageWith: OpenedMysqlState['stageWith'] = async (content, readMarks) => {
        const schema = await databaseSchema(database);
        // the content is read in other transactions
        await close();
        return stageContent(() => this.open(), content, schema, readMarks);
      };
      const stage = (content: DatabaseContent) => stageWith(content, async () => null);
      return { database, mark, openedAt: database.readAt, stage, stageWith, close };
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
      look: await createLook(connection),
      destroy: () => connection.destroy(),
    };
  } catch (error) {
    connection.destroy();
    throw error;
  }
}
