/** Reads a whole content in several short transactions, until what was read is one state of the database. */
import { SnapshotError } from '../../../core/errors.ts';
import type { Database, DatabaseValue } from '../database.ts';
import { contentSettings, type DatabaseContent } from '../database-content.ts';
import { type ContentTables, DatabaseTables, type EntityLine, type LinkLine } from '../database-tables.ts';
import { databaseSchema, readSetting } from '../stored-types.ts';
import type { LinkTable, TableMapping } from '../table-mapping.ts';
import { markedTables, ownersOfChanges } from './changed-entries.ts';
import type { PostgresClient } from './postgres-client.ts';
import type { Rows } from './postgres-connection.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { ChangingTablesError } from './postgres-errors.ts';
import type { PostgresState } from './postgres-state.ts';
import { areOutdated, findChanges, readMarks, type StateMarks, type TableChanges } from './row-changes.ts';

/** Milliseconds after which the next statement begins another transaction. */
const transactionLimit = 1500;
/** Rounds in which everything that changed meanwhile is read again. Each is shorter than the one before, or there are none. */
const maxRounds = 30;

export interface StagedContent {
  readonly content: DatabaseContent;
  /** Those of the state that was read. */
  readonly marks: StateMarks;
  /** The mark of a look before that state. */
  readonly mark: string;
}

/**
 * Reads a content that was opened in an earlier state with this `databaseSchema`. Rejects with a SourceAwayError if Strapi
 * changes its tables meanwhile.
 */
export async function stageContent(
  client: PostgresClient,
  content: DatabaseContent,
  schema: string | null,
): Promise<StagedContent> {
  const { mapping } = content.tables;
  client.lock(markedTables(mapping).map(({ name }) => name));
  const database = new ShortTransactions(client, content.location, schema);
  const staged = new StagedTables(mapping);
  const tables = new DatabaseTables(database, mapping);
  try {
    let marks = await readMarks(await database.begin(), markedTables(mapping));
    for (const { uid, isComponent } of mapping.types.values()) {
      if (!isComponent) await staged.readEntries(tables, uid);
    }
    for (const table of mapping.links) await staged.readLinks(tables, table);
    for (let round = 0; database.wasInterrupted; round++) {
      if (round === maxRounds) {
        throw new SnapshotError([`${content.location}: changes faster than it can be read`]);
      }
      const state = await database.begin();
      if (areOutdated(marks, state.snapshot))
        throw new SnapshotError([`${content.location}: too much changed during the read`]);
      const found = await findChanges(state, markedTables(mapping), marks);
      marks = found.marks;
      await staged.refresh(tables, state, found.changes);
    }
    const settings = new Map<string, unknown>();
    for (const key of contentSettings) settings.set(key, await readSetting(database, key));
    // the transaction has lasted from the first statement of the last round
    if (database.wasInterrupted) throw new SnapshotError([`${content.location}: the database answers too slowly`]);
    return { content: content.from(staged, async (key) => settings.get(key)), marks, mark: database.mark };
  } finally {
    await database.close();
  }
}

/** Runs each statement in a transaction that is young, and begins another one where it is not. */
class ShortTransactions implements Database {
  readonly dialect = postgresDialect;
  readonly #client: PostgresClient;
  readonly #location: string;
  readonly #schema: string | null;
  #opened: Awaited<ReturnType<PostgresClient['open']>> | null = null;
  #begunAt = 0;
  #wasInterrupted = false;

  constructor(client: PostgresClient, location: string, schema: string | null) {
    this.#client = client;
    this.#location = location;
    this.#schema = schema;
  }

  /** Whether another transaction was begun since `begin`. */
  get wasInterrupted(): boolean {
    return this.#wasInterrupted;
  }

  get mark(): string {
    return this.#opened!.look.mark;
  }

  /** Begins a transaction. Rejects with a ChangingTablesError if tables or types are others than those of the content. */
  async begin(): Promise<PostgresState> {
    this.#wasInterrupted = false;
    return this.#begin();
  }

  async *parts(sql: string, parameters: readonly DatabaseValue[] = []): AsyncGenerator<Rows> {
    const state = await this.#young();
    yield* state.parts(sql, parameters);
  }

  async all(sql: string, parameters: readonly DatabaseValue[] = []): Promise<Rows> {
    const state = await this.#young();
    return state.all(sql, parameters);
  }

  async close(): Promise<void> {
    await this.#opened?.close();
    this.#opened = null;
  }

  async #young(): Promise<PostgresState> {
    if (performance.now() - this.#begunAt < transactionLimit) return this.#opened!.state;
    this.#wasInterrupted = true;
    return this.#begin();
  }

  async #begin(): Promise<PostgresState> {
    await this.close();
    this.#opened = await this.#client.open();
    this.#begunAt = performance.now();
    const { state } = this.#opened;
    if ((await databaseSchema(state)) === this.#schema) return state;
    throw new ChangingTablesError(`${this.#location}: Strapi has changed its tables during the read`, '');
  }
}

/** Entries and links in memory. */
class StagedTables implements ContentTables {
  readonly mapping: TableMapping;
  /** By uid and id. */
  readonly #entries = new Map<string, Map<number, EntityLine>>();
  readonly #links = new Map<LinkTable, readonly LinkLine[]>();

  constructor(mapping: TableMapping) {
    this.mapping = mapping;
  }

  async *entities(uid: string, ids?: Iterable<number>): AsyncGenerator<EntityLine[]> {
    const lines = this.#entries.get(uid) ?? new Map<number, EntityLine>();
    const sorted = Float64Array.from(ids ?? lines.keys()).sort();
    yield Array.from(sorted).flatMap((id) => lines.get(id) ?? []);
  }

  async *links(table: LinkTable): AsyncGenerator<LinkLine[]> {
    yield [...(this.#links.get(table) ?? [])];
  }

  async readEntries(tables: ContentTables, uid: string, ids?: ReadonlySet<number>): Promise<void> {
    const lines = this.#entries.get(uid) ?? new Map<number, EntityLine>();
    this.#entries.set(uid, lines);
    for (const id of ids ?? []) lines.delete(id);
    for await (const part of tables.entities(uid, ids)) for (const line of part) lines.set(line.id, line);
  }

  async readLinks(tables: ContentTables, table: LinkTable): Promise<void> {
    const links: LinkLine[] = [];
    for await (const part of tables.links(table)) for (const link of part) links.push(link);
    this.#links.set(table, links);
  }

  /** Reads again what differs. */
  async refresh(
    tables: ContentTables,
    state: PostgresState,
    changes: ReadonlyMap<string, TableChanges>,
  ): Promise<void> {
    const owners = await ownersOfChanges(state, this.mapping, changes);
    const moved = new Set<string>();
    for (const { uid, table, isComponent } of this.mapping.types.values()) {
      const { written = [], gone = [], before } = changes.get(table) ?? {};
      if (gone.length > 0 || written.some((id) => before!.indexOf(id) === undefined)) moved.add(uid);
      const ids = new Set([...written, ...gone, ...(owners.get(uid) ?? [])]);
      if (!isComponent && ids.size > 0) await this.readEntries(tables, uid, ids);
    }
    for (const link of this.mapping.links) {
      // links without a foreign key outlive a deleted row, and apply again if it comes back
      const targets = link.kind === 'relation' ? [link.target] : (link.fields?.keys() ?? this.mapping.types.keys());
      const isChanged = changes.has(link.table) || [link.uid, ...targets].some((uid) => moved.has(uid));
      if (isChanged) await this.readLinks(tables, link);
    }
  }
}
