import { type Batch, batchLimits, isWithinLimits } from '../../changes/batch/batch.ts';
import { formatNumber } from '../../core/problems.ts';
import { type Database, quote } from '../../load/database/database.ts';
import type { DatabaseTables } from '../../load/database/database-tables.ts';
import { idList } from '../../load/database/row-values.ts';
import type { LinkTable, TypeTable } from '../../load/database/table-mapping.ts';
import type { TablePages } from '../../load/database/table-pages.ts';
import type { Schema } from '../../model/schema/schema.ts';
import { linkName } from '../../store/writer/links/store-links.ts';
import { type ComparedContent, ContentComparison } from '../compare/content-comparison.ts';
import { IdTable, IdTableBuilder } from '../compare/id-table.ts';
import type { Extent } from './comparison-schedule.ts';
import { type DatabaseDigests, entriesDigests, type TableVersions } from './database-digests.ts';

/**
 * Rows changed within this many milliseconds before a copy are read again from the next copy. A transaction that was
 * committed after the copy may have written the same time of change.
 */
const youngMilliseconds = 5000;
/** Maximum characters of names in a link. Longer rows might not fit a page of 512 bytes, the smallest. */
const longText = 100;

interface ComparedDatabase extends ComparedContent {
  readonly digests: DatabaseDigests;
  /** For the log: how many entries only a comparison of all has found. Null if there are none. */
  readonly reason: string | null;
}

/** A copy of a database. */
export interface CopiedTables {
  readonly database: Database;
  readonly tables: DatabaseTables;
  readonly pages: TablePages;
  /** When the copy was made. */
  readonly copiedAt: number;
}

/**
 * Compares a copy of a database with an earlier copy. The extent `changes` reads the rows whose time of change differs, all
 * rows of types without a time, and the links whose table differs. `entries` and `everything` read more (see `Extent`).
 * Returns null if a batch cannot hold all changes.
 */
export function compareDatabase(before: DatabaseDigests, copy: CopiedTables, extent: Extent): ComparedDatabase | null {
  const comparison = new ContentComparison(before.content, true);
  const versions = new Map<string, TableVersions>();
  const types = entryTables(before.content.schema, copy);
  const uids = types.map(({ uid }) => uid);
  const digests = extent === 'changes' ? null : entriesDigests(uids, copy.tables.mapping, copy.pages);
  for (const type of types) {
    const kept = before.versions.get(type.uid);
    const found = readVersions(copy, type, kept);
    if (found) versions.set(type.uid, found);
    const digest = before.digests.get(type.uid);
    if (extent === 'entries' && digest !== undefined && digest === digests?.get(type.uid)) continue;
    if (extent !== 'changes' || !found || !kept) readWhole(comparison, copy, type.uid);
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
      const kept = before.links.get(name) ?? null;
      const isSame = extent !== 'everything' && kept !== null && kept === linkDigest(copy, table);
      const isRead = !isSame || hasLinksOf(copy.database, table, comparison.moved);
      return [name, isRead ? readLinks(comparison, copy, table) : kept];
    }),
  );
  const compared = comparison.finish();
  if (!isWithinLimits(compared.batch, compared.bytes)) return null;
  const next: DatabaseDigests = {
    content: compared.state,
    versions,
    links,
    digests: digests ?? digestsAfter(before, compared.batch),
    copiedAt: copy.copiedAt,
  };
  const unnoticed = compared.batch.entities.filter(({ type, id }) => {
    const time = before.versions.get(type)?.changedAt.get(id);
    return time !== undefined && Object.is(time, versions.get(type)?.changedAt.get(id));
  });
  return { ...compared, digests: next, reason: extent === 'changes' ? null : withoutTime(unnoticed.length) };
}

/** Returns the digests of the types that a batch does not change. */
function digestsAfter({ digests }: DatabaseDigests, { entities }: Batch): DatabaseDigests['digests'] {
  const changed = new Set(entities.map(({ type }) => type));
  return new Map([...digests].filter(([uid]) => !changed.has(uid)));
}

/** The tables of the content types. */
export function entryTables({ types }: Schema, { tables }: CopiedTables): TypeTable[] {
  return [...tables.mapping.types.values()].filter(({ uid }) => types.get(uid)!.kind !== 'component');
}

/** Reads the times of change of a type's rows, unless the checksum equals that of `kept`. Null for a type without times. */
export function readVersions(copy: CopiedTables, type: TypeTable, kept?: TableVersions): TableVersions | null {
  const column = changeColumn(type);
  if (column === null) return null;
  const checksum = versionChecksum(copy.database, type.table, column);
  if (kept?.checksum === checksum) return kept;
  const builder = new IdTableBuilder();
  for (const { id, updatedAt } of copy.tables.versions(type.uid)) builder.add(id, updatedAt ?? Number.NaN);
  return { checksum, changedAt: builder.finish() };
}

/** Reads the links of a table into a comparison. Returns a text that differs for other links, or null. */
export function readLinks(
  comparison: ContentComparison,
  copy: CopiedTables,
  table: LinkTable,
  take: (link: Record<string, unknown>) => void = () => {},
): string | null {
  let isLong = false;
  comparison.beginTable();
  for (const link of copy.tables.links(table)) {
    const { type, field } = link.right;
    isLong ||= (type?.length ?? 0) + (field?.length ?? 0) > longText;
    take(link);
    comparison.addLink(link);
  }
  comparison.endTable(linkName(table.uid, table.attribute));
  return isLong ? null : linkDigest(copy, table);
}

/** The rows of a content type may be long, so a digest of their pages does not cover the links in them. */
function linkDigest({ pages, database }: CopiedTables, table: LinkTable): string | null {
  return table.source === 'id' ? inlineLinkChecksum(database, table) : pages.digest(table.table);
}

/**
 * Whether a table has links from or to rows that are new or deleted. Links without a foreign key outlive a deleted row,
 * and apply again if it comes back.
 */
function hasLinksOf(database: Database, link: LinkTable, moved: ReadonlyMap<string, ReadonlySet<number>>): boolean {
  const { table, source, targetId } = link;
  const has = (uid: string, condition: (ids: string) => string, parameters: readonly string[] = []) => {
    const ids = moved.get(uid);
    if (!ids?.size) return false;
    const where = condition(idList(ids));
    return (
      Array.from(database.rows(`SELECT 1 AS "found" FROM ${quote(table)} WHERE ${where} LIMIT 1`, parameters)).length >
      0
    );
  };
  if (has(link.uid, (ids) => `${quote(source)} IN (${ids}) AND ${quote(targetId)} IS NOT NULL`)) return true;
  const leadsTo = (ids: string) => `${quote(targetId)} IN (${ids})`;
  if (link.kind === 'relation') return has(link.target, leadsTo);
  const typed = (ids: string) => `${leadsTo(ids)} AND ${quote(link.targetType)} = ?`;
  return [...moved.keys()].some((uid) => has(uid, typed, [uid]));
}

function readWhole(comparison: ContentComparison, { tables }: CopiedTables, uid: string): void {
  comparison.entries.readWhole(uid);
  for (const entity of tables.entities(uid)) comparison.entries.add(entity);
}

/** Returns the ids of the rows of a type that may have changed, and of the deleted rows. */
function changedIds(
  { copiedAt }: DatabaseDigests,
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

function withoutTime(entries: number): string | null {
  if (entries === 0) return null;
  const written = entries === 1 ? '1 entry was' : `${formatNumber(entries)} entries were`;
  return `${written} written without a new time of change, and found by a comparison of all entries`;
}

/**
 * Checksums of tables. SQLite computes them many times faster than rows can be read. A sum over the rows does not depend on
 * their order. Products mix the columns of a row, so that swapping two values changes the sum. These are primes below
 * 2^24 and 2^32: a product of one below each is exact in 64 bits, as is a sum of 2^31 remainders.
 */
const smallPrime = 16_777_213;
const largePrime = 4_294_967_291;

/** Added to a number, so that those below 0 differ from those above. */
const offset = 2 ** 40;
/** Stands for null. */
const noNumber = -987_654_321;

/** Returns the column with the time of the last change of a type's rows; null if it is not served. */
function changeColumn({ columns }: TypeTable): string | null {
  return columns.find(({ attribute }) => attribute === 'updatedAt')?.column ?? null;
}

/** Covers the ids of a type's rows, and when each was changed. */
function versionChecksum(database: Database, table: string, column: string): string {
  return checksumOf(database, table, ['"id"', quote(column)], '');
}

/** Covers the links of an attribute that the rows of its type hold: the ids of both ends, and the type of the target. */
export function inlineLinkChecksum(database: Database, { table, targetId, ...link }: LinkTable): string {
  const texts = link.kind === 'polymorphic' ? [quote(link.targetType)] : [];
  return checksumOf(database, table, ['"id"', quote(targetId)], ` WHERE ${quote(targetId)} IS NOT NULL`, texts);
}

/** Texts have no number, so there is a sum for each of them. */
function checksumOf(
  database: Database,
  table: string,
  columns: readonly string[],
  where: string,
  texts: readonly string[] = [],
): string {
  const mixed = columns.reduce(
    (product, column) =>
      `(${product} * (1 + abs(coalesce(${column}, ${noNumber}) + ${offset}) % ${smallPrime}) + 1) % ${largePrime}`,
    '1',
  );
  const sums = ['count(*) AS "rows"', `coalesce(sum(${mixed}), 0) AS "total"`];
  const selected = [...sums, ...texts.map((text, i) => `${text} AS "text ${i}"`)].join(', ');
  const groups = texts.length > 0 ? ` GROUP BY ${texts.join(', ')} ORDER BY ${texts.join(', ')}` : '';
  return JSON.stringify(Array.from(database.rows(`SELECT ${selected} FROM ${quote(table)}${where}${groups}`), String));
}
