import { SourceAwayError } from '../../core/errors.ts';
import type { Database, DatabaseDialect, DatabaseValue } from './database.ts';
import { databaseSchema } from './stored-types.ts';

/** Milliseconds after which the next statement begins another transaction, by default and in a last round. */
const transactionLimit = 1500;
const roundLimit = 3000;

/** A transaction that has begun, with the mark of a look before it. */
export interface OpenTransaction {
  readonly database: Database;
  readonly mark: string;
  close(): Promise<void>;
}

/** Reads by statements in young transactions: begins another one where it is not. */
export class ShortTransactions<Transaction extends OpenTransaction> implements Database {
  readonly dialect: DatabaseDialect;
  readonly #open: () => Promise<Transaction>;
  readonly #location: string;
  readonly #schema: string | null;
  #current: Transaction | null = null;
  #begunAt = 0;
  #limit = transactionLimit;
  #wasInterrupted = false;

  /** `location` is that of the database in messages, `schema` the `databaseSchema` that each transaction has to have. */
  constructor(dialect: DatabaseDialect, open: () => Promise<Transaction>, location: string, schema: string | null) {
    this.dialect = dialect;
    this.#open = open;
    this.#location = location;
    this.#schema = schema;
  }

  /** Whether another transaction was begun since `begin`, or the last one has become old. */
  get wasInterrupted(): boolean {
    return this.#wasInterrupted;
  }

  /** The transaction that is open. */
  get current(): Transaction {
    return this.#current!;
  }

  /**
   * Begins a transaction. In a round that may be the last, it has more time, because all is read in it. Rejects with a
   * SourceAwayError if Strapi has changed its tables or types.
   */
  async begin(mayBeLast = false): Promise<Transaction> {
    this.#wasInterrupted = false;
    this.#limit = mayBeLast ? roundLimit : transactionLimit;
    return this.#begin();
  }

  async *parts(sql: string, parameters: readonly DatabaseValue[] = []): AsyncGenerator<readonly DatabaseValue[][]> {
    const database = await this.#young();
    yield* database.parts(sql, parameters);
  }

  async all(sql: string, parameters: readonly DatabaseValue[] = []): Promise<DatabaseValue[][]> {
    const database = await this.#young();
    return database.all(sql, parameters);
  }

  /** Runs statements in one transaction, however long they take. */
  async inOne<Result>(read: (database: Database) => Promise<Result>): Promise<Result> {
    return read(await this.#young());
  }

  async close(): Promise<void> {
    await this.#current?.close();
    this.#current = null;
  }

  async #young(): Promise<Database> {
    if (performance.now() - this.#begunAt < this.#limit) return this.#current!.database;
    this.#wasInterrupted = true;
    this.#limit = transactionLimit;
    return (await this.#begin()).database;
  }

  async #begin(): Promise<Transaction> {
    await this.close();
    const transaction = await this.#open();
    this.#current = transaction;
    this.#begunAt = performance.now();
    if ((await databaseSchema(transaction.database)) === this.#schema) return transaction;
    throw new SourceAwayError([`${this.#location}: Strapi has changed its tables during the read`]);
  }
}
