/** Reads a whole content in several short transactions, until what was read is one state of the database. */
import { SnapshotError } from '../../core/errors.ts';
import { markedTables, ownersOfChanges } from './changed-entries.ts';
import type { Database, DatabaseDialect } from './database.ts';
import { contentSettings, type DatabaseContent } from './database-content.ts';
import type { StagedContent } from './database-state.ts';
import { type ContentTables, DatabaseTables } from './database-tables.ts';
import type { FoundChanges, MarkedTable, RowChanges } from './row-changes.ts';
import { type OpenTransaction, ShortTransactions } from './short-transactions.ts';
import { changedLinks, StagedTables } from './staged-tables.ts';
import { readSetting } from './stored-types.ts';

/** Rounds in which everything that changed meanwhile is read again. Each is shorter than the one before, or there are none. */
const maxRounds = 30;

/** A database whose states are transactions, and what finds the rows that differ between them. */
export interface StagedDatabase<Transaction extends OpenTransaction, Marks> {
  readonly dialect: DatabaseDialect;
  open(): Promise<Transaction>;
  /** Reads the marks of all rows as they are before anything else is read. */
  readMarks(database: ShortTransactions<Transaction>, tables: readonly MarkedTable[]): Promise<Marks>;
  /** Finds what differs from earlier marks, in one transaction. */
  findChanges(transaction: Transaction, tables: readonly MarkedTable[], marks: Marks): Promise<FoundChanges<Marks>>;
}

/**
 * Reads a content that was opened in an earlier state with this `databaseSchema`, and the marks of the state that was read.
 * Rejects with a SourceAwayError if Strapi changes its tables meanwhile.
 */
export async function stageContent<Transaction extends OpenTransaction, Marks>(
  source: StagedDatabase<Transaction, Marks>,
  content: DatabaseContent,
  schema: string | null,
): Promise<StagedContent & { readonly marks: Marks }> {
  const { mapping } = content.tables;
  const marked = markedTables(mapping);
  const database = new ShortTransactions(source.dialect, source.open, content.location, schema);
  const staged = new StagedTables(mapping);
  const tables = new DatabaseTables(database, mapping);
  try {
    await database.begin();
    let marks: Marks = await source.readMarks(database, marked);
    await staged.read(tables);
    for (let round = 0; ; round++) {
      if (database.wasInterrupted) {
        if (round === maxRounds)
          throw new SnapshotError([`${content.location}: changes faster, or is slower, than it can be read`]);
        const transaction = await database.begin(true);
        const found = await source.findChanges(transaction, marked, marks);
        marks = found.marks;
        await refresh(staged, tables, transaction.database, found.changes);
        if (database.wasInterrupted) continue;
      }
      const settings = new Map<string, unknown>();
      for (const key of contentSettings) settings.set(key, await readSetting(database, key));
      // otherwise the transaction has lasted from the first statement of the last round
      if (database.wasInterrupted) continue;
      return { content: content.from(staged, async (key) => settings.get(key)), marks, mark: database.current.mark };
    }
  } finally {
    await database.close();
  }
}

/** Reads again what differs. */
async function refresh(
  staged: StagedTables,
  tables: ContentTables,
  database: Database,
  changes: RowChanges,
): Promise<void> {
  const { mapping } = staged;
  const owners = await ownersOfChanges(database, mapping, changes);
  const moved = new Set<string>();
  for (const { uid, table, isComponent } of mapping.types.values()) {
    const { written = [], gone = [], before } = changes.get(table) ?? {};
    if (gone.length > 0 || written.some((id) => before!.indexOf(id) === undefined)) moved.add(uid);
    const ids = new Set([...written, ...gone, ...(owners.get(uid) ?? [])]);
    if (!isComponent && ids.size > 0) await staged.readEntries(tables, uid, ids);
  }
  for (const link of changedLinks(mapping, (table) => changes.has(table), moved)) await staged.readLinks(tables, link);
}
