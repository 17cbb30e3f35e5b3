import { linkName } from '../../build/links/store-links.ts';
import { batchLimits } from '../../changes/batch-limits.ts';
import type { Database } from '../../load/database/database.ts';
import type { DatabaseTables } from '../../load/database/database-tables.ts';
import type { LinkTable } from '../../load/database/link-tables.ts';
import { quote } from '../../load/database/table-columns.ts';
import type { TypeTable } from '../../load/database/table-mapping.ts';
import type { Schema } from '../../model/schema.ts';
import { type ComparedContent, ContentComparison } from '../compare/content-comparison.ts';
import { IdTable, IdTableBuilder } from '../compare/id-table.ts';
import { changeColumn, linkChecksum, versionChecksum } from './checksums.ts';
import type { DatabaseState, LinkState, TableVersions } from './database-state.ts';

/**
 * Rows that were changed in so many milliseconds before a copy are read again from the next one: another change may have
 * been saved in the same millisecond, and was committed after the copy.
 */
const youngMilliseconds = 5000;

export interface ComparedDatabase extends ComparedContent {
  readonly databaseState: DatabaseState;
}

/** A copy of a database. */
export interface CopiedTables {
  readonly database: Database;
  readonly tables: DatabaseTables;
  /** When the copy was made. */
  readonly copiedAt: number;
}

/**
 * Compares a copy of a database with an earlier one. Reads the rows whose time of change differs, types without such a
 * time, and the links whose checksum differs; with `isWhole` everything. Returns null if more entries have changed than a
 * batch may hold.
 */
export function compareDatabase(before: DatabaseState, copy: CopiedTables, isWhole: boolean): ComparedDatabase | null {
  const comparison = new ContentComparison(before.content, true);
  const versions = new Map<string, TableVersions>();
  for (const type of entryTables(before.content.schema, copy)) {
    const kept = before.versions.get(type.uid);
    const found = readVersions(copy, type, isWhole ? undefined : kept);
    if (found) versions.set(type.uid, found);
    if (isWhole || !found || !kept) readWhole(comparison, copy, type.uid);
    else {
      const changed = changedIds(before, copy, type, kept, found);
      if (changed.read.length + changed.gone.length > batchLimits.entities) return null;
      for (const id of changed.gone) comparison.entries.remove(type.uid, id);
      for (const entity of copy.tables.entities(type.uid, changed.read)) comparison.entries.add(entity);
    }
  }
  comparison.beginLinks();
  const links = new Map(
    copy.tables.mapping.links.map((table) => {
      const name = linkName(table.uid, table.attribute);
      const checksum = linkChecksum(copy.database, table);
      const kept = before.links.get(name);
      const isSame = !isWhole && kept?.checksum === checksum.sum;
      const mayLeadElsewhere = kept?.isComplete === false && comparison.hasChangedEntries;
      if (isSame && !mayLeadElsewhere) return [name, kept] as const;
      return [name, readLinks(comparison, copy, table, checksum)] as const;
    }),
  );
  const compared = comparison.finish();
  const databaseState = { content: compared.state, versions, links, copiedAt: copy.copiedAt };
  return { ...compared, databaseState };
}

/** The tables of the content types. */
export function entryTables({ types }: Schema, { tables }: CopiedTables): TypeTable[] {
  return [...tables.mapping.types.values()].filter(({ uid }) => types.get(uid)!.kind !== 'component');
}

/** Reads when the rows of a type were changed, unless the checksum is that of `kept`. Null if the type does not say. */
export function readVersions(copy: CopiedTables, type: TypeTable, kept?: TableVersions): TableVersions | null {
  const column = changeColumn(type);
  if (column === null) return null;
  const { sum } = versionChecksum(copy.database, type.table, column);
  if (kept?.checksum === sum) return kept;
  const builder = new IdTableBuilder();
  for (const { id, updatedAt } of copy.tables.versions(type.uid)) builder.add(id, updatedAt ?? Number.NaN);
  return { checksum: sum, changedAt: builder.finish() };
}

/** Reads the links of a table into a comparison. */
export function readLinks(
  comparison: ContentComparison,
  { tables, database }: CopiedTables,
  table: LinkTable,
  { sum, rows } = linkChecksum(database, table),
  take: (link: Record<string, unknown>) => void = () => {},
): LinkState {
  let count = 0;
  comparison.beginTable();
  for (const link of tables.links(table)) {
    count++;
    take(link);
    comparison.addLink(link);
  }
  const { isComplete } = comparison.endTable(linkName(table.uid, table.attribute));
  return { checksum: sum, isComplete: isComplete && count === rows };
}

function readWhole(comparison: ContentComparison, { tables }: CopiedTables, uid: string): void {
  comparison.entries.readWhole(uid);
  for (const entity of tables.entities(uid)) comparison.entries.add(entity);
}

/** Returns the rows of a type that may have changed, and those that are gone. */
function changedIds(
  { copiedAt }: DatabaseState,
  { database }: CopiedTables,
  type: TypeTable,
  before: TableVersions,
  after: TableVersions,
): { read: number[]; gone: number[] } {
  const read = new Set<number>();
  const gone: number[] = [];
  IdTable.eachDifference(before.changedAt, after.changedAt, (id, _, present) => {
    if (present === null) gone.push(id);
    else read.add(id);
  });
  const column = quote(changeColumn(type)!);
  const statement = `SELECT "id" FROM ${quote(type.table)} WHERE ${column} BETWEEN ? AND ?`;
  const range = [copiedAt - youngMilliseconds, copiedAt + youngMilliseconds];
  for (const [id] of database.rows(statement, range)) read.add(Number(id));
  return { read: [...read], gone };
}
