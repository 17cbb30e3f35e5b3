/**
 * Finds the rows that differ from an earlier state of a MySQL or MariaDB database, by checksums that the server computes: of
 * whole tables, of parts of those that differ, then of the rows of parts that differ. Two rows have the same checksum by
 * chance once in four billion times.
 */
import { SourceAwayError } from '../../../core/errors.ts';
import { mapAt } from '../../../core/map-at.ts';
import { IdTable, IdTableBuilder } from '../../../core/sets/id-table.ts';
import { type Database, quote } from '../database.ts';
import { idsPerPart, partOf, replaceParts, whereIn } from '../id-parts.ts';
import type { FoundChanges, MarkedTable, TableChanges } from '../row-changes.ts';

/** What is known of a state, by which a later state is compared. Immutable. By table. */
export type RowDigests = ReadonlyMap<string, TableDigest>;

interface TableDigest {
  /** That of the server, of all columns. */
  readonly checksum: string;
  /** By id: the checksum of the columns that are read. */
  readonly rows: IdTable;
  /** By id: the kept column, 0 without one. */
  readonly kept: IdTable;
}

/** Runs what it is given in one transaction. */
type InOneTransaction = <Result>(read: (database: Database) => Promise<Result>) => Promise<Result>;

/** Reads the digests of all rows, those of a table in one transaction. */
export async function readDigests(inOne: InOneTransaction, tables: readonly MarkedTable[]): Promise<RowDigests> {
  const digests = new Map<string, TableDigest>();
  for (const table of tables) {
    const digest = await inOne(async (database) => {
      const checksums = await readChecksums(database, [table.name]);
      return { checksum: checksums.get(table.name)!, ...(await readRows(database, table, '')) };
    });
    digests.set(table.name, digest);
  }
  return digests;
}

/** Compares a state with the digests of an earlier one. Returns the tables that differ, and the digests of this state. */
export async function findChanges(
  database: Database,
  tables: readonly MarkedTable[],
  digests: RowDigests,
): Promise<FoundChanges<RowDigests>> {
  const checksums = await readChecksums(
    database,
    tables.map(({ name }) => name),
  );
  const changes = new Map<string, TableChanges>();
  const marks = new Map<string, TableDigest>();
  for (const table of tables) {
    const { name } = table;
    const checksum = checksums.get(name)!;
    const before = digests.get(name);
    if (before?.checksum === checksum) marks.set(name, before);
    else {
      const after = { checksum, ...(await readChangedRows(database, table, before)) };
      marks.set(name, after);
      const found = changesOf(before, after);
      if (found.written.length + found.gone.length > 0) changes.set(name, found);
    }
  }
  return { changes, marks };
}

/**
 * Returns the checksums that the server computes of all columns of tables. Rejects with a SourceAwayError if a table is
 * missing.
 */
async function readChecksums(database: Database, tables: readonly string[]): Promise<Map<string, string>> {
  if (tables.length === 0) return new Map();
  const rows = await database.all(`CHECKSUM TABLE ${tables.map(quote).join(', ')}`);
  return new Map(
    rows.map(([, checksum], i) => {
      if (checksum !== null) return [tables[i], String(checksum)];
      throw new SourceAwayError([`the table ${tables[i]} cannot be read; Strapi may be changing its tables`]);
    }),
  );
}

type Rows = Pick<TableDigest, 'rows' | 'kept'>;

function changesOf(before: Rows | undefined, after: Rows): TableChanges {
  const written: number[] = [];
  const gone: number[] = [];
  IdTable.eachDifference(before?.rows ?? IdTable.empty, after.rows, (id, _, present) => {
    (present === null ? gone : written).push(id);
  });
  return { written, gone, before: before?.kept ?? IdTable.empty, after: after.kept };
}

/** Reads the rows of the parts that differ, and takes over the others. */
async function readChangedRows(database: Database, table: MarkedTable, before: Rows | undefined): Promise<Rows> {
  if (!before) return readRows(database, table, '');
  const parts = differingParts(await readParts(database, table), before.rows);
  if (parts.size === 0) return before;
  const { rows, kept } = await readRows(database, table, whereIn(parts));
  return { rows: replaceParts(before.rows, rows, parts), kept: replaceParts(before.kept, kept, parts) };
}

/** The number of rows in a part, and the sum of their checksums. */
interface Part {
  rows: number;
  sum: number;
}

async function readParts(database: Database, table: MarkedTable): Promise<Map<number, Part>> {
  const statement =
    `SELECT "id" DIV ${idsPerPart}, count(*), sum(${rowChecksum(table)}) FROM ${quote(table.name)} ` +
    `GROUP BY "id" DIV ${idsPerPart} ORDER BY NULL`;
  const parts = await database.all(statement);
  return new Map(parts.map(([part, rows, sum]) => [Number(part), { rows: Number(rows), sum: Number(sum) }]));
}

/** Returns the numbers of the parts that differ from the rows of an earlier state. */
function differingParts(parts: ReadonlyMap<number, Part>, rows: IdTable): Set<number> {
  const before = new Map<number, Part>();
  for (const [i, id] of rows.ids.entries()) {
    const part = mapAt(before, partOf(id), () => ({ rows: 0, sum: 0 }));
    part.rows++;
    part.sum += rows.values[i];
  }
  const numbers = new Set([...before.keys(), ...parts.keys()]);
  for (const part of numbers) {
    const [old, present] = [before.get(part), parts.get(part)];
    if (old?.rows === present?.rows && old?.sum === present?.sum) numbers.delete(part);
  }
  return numbers;
}

async function readRows(database: Database, table: MarkedTable, where: string): Promise<Rows> {
  const rows = new IdTableBuilder();
  const kept = new IdTableBuilder();
  const column = table.kept === null ? '0' : quote(table.kept);
  const statement = `SELECT "id", ${rowChecksum(table)}, ${column} FROM ${quote(table.name)}${where} ORDER BY "id"`;
  for await (const part of database.parts(statement)) {
    for (const [id, checksum, value] of part) {
      rows.add(Number(id), Number(checksum));
      kept.add(Number(id), value === null ? Number.NaN : Number(value));
    }
  }
  return { rows: rows.finish(), kept: kept.finish() };
}

/** Returns the checksum of a row: of those of its columns, so that no two rows have the same text. */
function rowChecksum({ columns }: MarkedTable): string {
  const checksums = columns.map((column) => `, ifnull(crc32(${quote(column)}), 'null')`).join('');
  return `crc32(concat_ws(',', "id"${checksums}))`;
}
