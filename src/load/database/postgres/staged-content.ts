/** Reads a whole content in several short transactions, until what was read is one state of the database. */
import { SnapshotError } from '../../../core/errors.ts';
import { contentSettings, type DatabaseContent } from '../database-content.ts';
import { type ContentTables, DatabaseTables } from '../database-tables.ts';
import { ShortTransactions } from '../short-transactions.ts';
import { changedLinks, StagedTables } from '../staged-tables.ts';
import { readSetting } from '../stored-types.ts';
import { markedTables, ownersOfChanges } from './changed-entries.ts';
import type { PostgresClient } from './postgres-client.ts';
import { postgresDialect } from './postgres-dialect.ts';
import type { PostgresState } from './postgres-state.ts';
import { areOutdated, findChanges, readMarks, type StateMarks, type TableChanges } from './row-changes.ts';

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
  const open = async () => {
    const { state, look, close } = await client.open();
    return { database: state, mark: look.mark, close };
  };
  const database = new ShortTransactions(postgresDialect, open, content.location, schema);
  const staged = new StagedTables(mapping);
  const tables = new DatabaseTables(database, mapping);
  try {
    let marks = await readMarks((await database.begin()).database, markedTables(mapping));
    await staged.read(tables);
    for (let round = 0; ; round++) {
      if (database.wasInterrupted) {
        if (round === maxRounds)
          throw new SnapshotError([`${content.location}: changes faster, or is slower, than it can be read`]);
        const { database: state } = await database.begin();
        if (areOutdated(marks, state.snapshot))
          throw new SnapshotError([`${content.location}: too much changed during the read`]);
        const found = await findChanges(state, markedTables(mapping), marks);
        marks = found.marks;
        await refresh(staged, tables, state, found.changes);
        if (database.wasInterrupted) continue;
      }
      const settings = new Map<string, unknown>();
      for (const key of contentSettings) settings.set(key, await readSetting(database, key));
      // otherwise the transaction has lasted from the first statement of the last round
      if (database.wasInterrupted) continue;
      return { content: content.from(staged, async (key) => settings.get(key)), marks, mark: database.mark };
    }
  } finally {
    await database.close();
  }
}

/** Reads again what differs. */
async function refresh(
  staged: StagedTables,
  tables: ContentTables,
  state: PostgresState,
  changes: ReadonlyMap<string, TableChanges>,
): Promise<void> {
  const { mapping } = staged;
  const owners = await ownersOfChanges(state, mapping, changes);
  const moved = new Set<string>();
  for (const { uid, table, isComponent } of mapping.types.values()) {
    const { written = [], gone = [], before } = changes.get(table) ?? {};
    if (gone.length > 0 || written.some((id) => before!.indexOf(id) === undefined)) moved.add(uid);
    const ids = new Set([...written, ...gone, ...(owners.get(uid) ?? [])]);
    if (!isComponent && ids.size > 0) await staged.readEntries(tables, uid, ids);
  }
  for (const link of changedLinks(mapping, (table) => changes.has(table), moved)) await staged.readLinks(tables, link);
}
