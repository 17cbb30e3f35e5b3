/** Reads a whole content in several short transactions, until what was read is one state of the database. */
import { SnapshotError, SourceAwayError } from '../../../core/errors.ts';
import { type Database, quote } from '../database.ts';
import { contentSettings, type DatabaseContent } from '../database-content.ts';
import type { DatabaseState, StagedContent } from '../database-state.ts';
import { DatabaseTables } from '../database-tables.ts';
import { ShortTransactions } from '../short-transactions.ts';
import { changedLinks, StagedTables } from '../staged-tables.ts';
import { readSetting } from '../stored-types.ts';
import { tableNames, tablesOfType } from '../table-mapping.ts';
import { mysqlDialect } from './mysql-dialect.ts';

/** Rounds: the first reads everything, the others the tables that changed meanwhile. */
const maxRounds = 30;

/** By table. */
export type Checksums = ReadonlyMap<string, string>;

/** Reads what a caller needs of a state, with the checksums of all tables, and what it has read of an earlier state. */
export type ReadMarks<Marks> = (state: DatabaseState, checksums: Checksums, before: Marks | null) => Promise<Marks>;

/**
 * Reads a content that was opened in an earlier state with this `databaseSchema`, and the marks of its state. A table that
 * changes more often than it can be read whole in one short transaction makes this fail. Rejects with a SnapshotError.
 */
export async function stageContent<Marks>(
  open: () => Promise<DatabaseState>,
  content: DatabaseContent,
  schema: string | null,
  readMarks: ReadMarks<Marks>,
): Promise<StagedContent & { readonly marks: Marks }> {
  const { mapping } = content.tables;
  const database = new ShortTransactions(mysqlDialect, open, content.location, schema);
  const staged = new StagedTables(mapping);
  const tables = new DatabaseTables(database, mapping);
  let checksums: Checksums = new Map();
  let marks: Marks | null = null;
  try {
    for (let round = 0; round < maxRounds; round++) {
      const state = await database.begin(round > 0);
      const found = await readChecksums(database, tableNames(mapping));
      await refresh(staged, tables, (table) => found.get(table) !== checksums.get(table));
      checksums = found;
      const settings = new Map<string, unknown>();
      for (const key of contentSettings) settings.set(key, await readSetting(database, key));
      marks = await readMarks({ ...state, database }, checksums, marks);
      if (database.wasInterrupted) continue;
      return { content: content.from(staged, async (key) => settings.get(key)), mark: database.mark, marks };
    }
    throw new SnapshotError([`${content.location}: changes faster than it can be read`]);
  } finally {
    await database.close();
  }
}

/**
 * Returns the checksums that the server computes of all columns of tables, in the transaction of a state. Rejects with a
 * SourceAwayError if a table is missing.
 */
export async function readChecksums(database: Database, tables: readonly string[]): Promise<Checksums> {
  if (tables.length === 0) return new Map();
  const rows = await database.all(`CHECKSUM TABLE ${tables.map(quote).join(', ')}`);
  return new Map(
    rows.map(([, checksum], i) => {
      if (checksum !== null) return [tables[i], String(checksum)];
      throw new SourceAwayError([`the table ${tables[i]} cannot be read; Strapi may be changing its tables`]);
    }),
  );
}

/** Reads the types and links again whose tables have changed. */
async function refresh(
  staged: StagedTables,
  tables: DatabaseTables,
  isChanged: (table: string) => boolean,
): Promise<void> {
  const { mapping } = staged;
  const moved = new Set<string>();
  for (const { uid, isComponent } of mapping.types.values()) {
    if (!Array.from(tablesOfType(uid, mapping)).some(isChanged)) continue;
    moved.add(uid);
    if (!isComponent) await staged.readEntries(tables, uid);
  }
  for (const link of changedLinks(mapping, isChanged, moved)) await staged.readLinks(tables, link);
}
