/** Reads a whole content in several short transactions, until what was read is one state of the database. */
import { SnapshotError } from '../../../core/errors.ts';
import { type Database, quote } from '../database.ts';
import { contentSettings, type DatabaseContent } from '../database-content.ts';
import type { StagedContent } from '../database-state.ts';
import { DatabaseTables } from '../database-tables.ts';
import { type OpenTransaction, ShortTransactions } from '../short-transactions.ts';
import { changedLinks, StagedTables } from '../staged-tables.ts';
import { readSetting } from '../stored-types.ts';
import { type TableMapping, tablesOfType } from '../table-mapping.ts';
import { mysqlDialect } from './mysql-dialect.ts';

/** Rounds in which the tables that changed meanwhile are read again. */
const maxRounds = 30;

/**
 * Reads a content that was opened in an earlier state with this `databaseSchema`. `inLastState` is run in the state of the
 * content, perhaps also in states before it. A table that changes more often than it can be read whole in one short
 * transaction makes this fail. Rejects with a SnapshotError.
 */
export async function stageContent<State extends OpenTransaction>(
  open: () => Promise<State>,
  content: DatabaseContent,
  schema: string | null,
  inLastState: (state: State) => Promise<void>,
): Promise<StagedContent> {
  const { mapping } = content.tables;
  const database = new ShortTransactions(mysqlDialect, open, content.location, schema);
  const staged = new StagedTables(mapping);
  const tables = new DatabaseTables(database, mapping);
  const names = tableNames(mapping);
  try {
    let checksums = await readChecksums((await database.begin()).database, names);
    await staged.read(tables);
    for (let round = 0; ; round++) {
      if (round === maxRounds) throw new SnapshotError([`${content.location}: changes faster than it can be read`]);
      const state = await database.begin();
      const found = await readChecksums(database, names);
      await refresh(staged, tables, (table) => found.get(table) !== checksums.get(table));
      checksums = found;
      const settings = new Map<string, unknown>();
      for (const key of contentSettings) settings.set(key, await readSetting(database, key));
      if (database.wasInterrupted) continue;
      await inLastState(state);
      return { content: content.from(staged, async (key) => settings.get(key)), mark: database.mark };
    }
  } finally {
    await database.close();
  }
}

/** Returns the tables of a mapping, each once. */
function tableNames({ types, links }: TableMapping): string[] {
  const ofTypes = Array.from(types.values(), ({ table, components }) => [table, components?.table ?? table]);
  return [...new Set([...ofTypes.flat(), ...links.map(({ table }) => table)])];
}

/** Returns the checksums that the server computes of all columns of tables, in the transaction of a state. */
export async function readChecksums(database: Database, tables: readonly string[]): Promise<Map<string, string>> {
  const rows = await database.all(`CHECKSUM TABLE ${tables.map(quote).join(', ')}`);
  return new Map(rows.map(([, checksum], i) => [tables[i], String(checksum)]));
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
