import { SnapshotError } from '../../../core/errors.ts';
import { markedTables } from '../changed-entries.ts';
import type { Database } from '../database.ts';
import type { DatabaseContent } from '../database-content.ts';
import type { DatabaseState, StagedContent, StateOpener } from '../database-state.ts';
import type { ServerLocation } from '../location.ts';
import type { OpenTransaction } from '../short-transactions.ts';
import { type StagedDatabase, stageContent } from '../staged-content.ts';
import { databaseSchema } from '../stored-types.ts';
import { PostgresClient } from './postgres-client.ts';
import { postgresDialect } from './postgres-dialect.ts';
import type { PostgresState, Snapshot } from './postgres-state.ts';
import { areOutdated, findChanges, readMarks, type StateMarks } from './row-changes.ts';

/** A state, the run of the server that has it, and the mark of a look before it. */
export interface OpenedPostgresState extends DatabaseState {
  readonly current: PostgresState;
  readonly snapshot: Snapshot;
  readonly server: string;
  stage(content: DatabaseContent): Promise<StagedContent & { readonly marks: StateMarks }>;
}

/** Opens states over the connection of a client. */
export class PostgresStates implements StateOpener<OpenedPostgresState> {
  readonly #client: PostgresClient;

  constructor(client: PostgresClient) {
    this.#client = client;
  }

  /** Returns an opener with a connection of its own, which it closes. */
  static at(location: ServerLocation): StateOpener<OpenedPostgresState> {
    const client = new PostgresClient(location);
    const states = new PostgresStates(client);
    return { open: () => states.open(), close: async () => client.close() };
  }

  async open(): Promise<OpenedPostgresState> {
    const client = this.#client;
    const { state, look, close } = await client.open();
    return {
      database: state as Database,
      current: state,
      snapshot: state.snapshot,
      mark: look.mark,
      server: look.server,
      openedAt: state.readAt,
      close,
      async stage(content: DatabaseContent) {
        const schema = await databaseSchema(state);
        // the content is read in other transactions
        await close();
        client.lock(markedTables(content.tables.mapping).map(({ name }) => name));
        return stageContent(stagedDatabase(client, content.location), content, schema);
      },
    };
  }

  /** The connection is that of the client. */
  async close(): Promise<void> {}
}

interface PostgresTransaction extends OpenTransaction {
  readonly database: PostgresState;
}

function stagedDatabase(client: PostgresClient, location: string): StagedDatabase<PostgresTransaction, StateMarks> {
  return {
    dialect: postgresDialect,
    async open() {
      const { state, look, close } = await client.open();
      return { database: state, mark: look.mark, close };
    },
    readMarks: ({ current }, tables) => readMarks(current.database, tables),
    async findChanges({ database }, tables, marks) {
      if (areOutdated(marks, database.snapshot))
        throw new SnapshotError([`${location}: too much changed during the read`]);
      return findChanges(database, tables, marks);
    },
  };
}
