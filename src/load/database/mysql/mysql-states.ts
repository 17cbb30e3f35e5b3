import type { DatabaseContent } from '../database-content.ts';
import type { DatabaseState, StagedContent, StateOpener } from '../database-state.ts';
import type { ServerLocation } from '../location.ts';
import { SharedConnection } from '../shared-connection.ts';
import type { OpenTransaction } from '../short-transactions.ts';
import { type StagedDatabase, stageContent } from '../staged-content.ts';
import { databaseSchema } from '../stored-types.ts';
import { createLook, type Look } from './commit-mark.ts';
import { MysqlConnection } from './mysql-connection.ts';
import { mysqlDialect } from './mysql-dialect.ts';
import { MysqlState } from './mysql-state.ts';
import { findChanges, type RowDigests, readDigests } from './row-digests.ts';

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
  stage(content: DatabaseContent): Promise<StagedContent & { readonly marks: RowDigests }>;
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
      const stage = async (content: DatabaseContent) => {
        const schema = await databaseSchema(database);
        // the content is read in other transactions
        await close();
        return stageContent(this.#stagedDatabase(), content, schema);
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

  #stagedDatabase(): StagedDatabase<OpenTransaction, RowDigests> {
    return {
      dialect: mysqlDialect,
      open: () => this.open(),
      readMarks: (database, tables) => readDigests((read) => database.inOne(read), tables),
      findChanges: ({ database }, tables, digests) => findChanges(database, tables, digests),
    };
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
