/** Finds the rows that differ from an earlier state of a PostgreSQL database, by the transactions that wrote them. */
import { IdTable } from '../../../core/sets/id-table.ts';
import { quote } from '../database.ts';
import type { FoundChanges, MarkedTable, TableChanges } from '../row-changes.ts';
import type { Rows } from './postgres-connection.ts';
import { type PostgresState, type Snapshot, writtenSince } from './postgres-state.ts';

/** What is known of a state, by which a later state is compared. Immutable. */
export interface StateMarks {
  /** The first transaction that had not ended. Rows of earlier ones are as they were, unless a later one changes them. */
  readonly since: bigint;
  /** By table: the ids of its rows, with the kept column; 0 without one. */
  readonly rows: ReadonlyMap<string, IdTable>;
}

/** Numbers of transactions are compared modulo 2^32, so that half of them are earlier and half later. */
const comparableTransactions = 2n ** 31n;

/** Whether so many transactions were begun since the marks that they cannot be compared. */
export function areOutdated({ since }: StateMarks, snapshot: Snapshot): boolean {
  return snapshot.xmax - since >= comparableTransactions;
}

/** Tables whose ids are read by one message, because a state has no time for a message to each table of a distant server. */
const tablesPerMessage = 10;

/** Reads the ids of all rows. */
export async function readMarks(state: PostgresState, tables: readonly MarkedTable[]): Promise<StateMarks> {
  const rows = new Map<string, IdTable>();
  for (let i = 0; i < tables.length; i += tablesPerMessage) {
    const some = tables.slice(i, i + tablesPerMessage);
    const found = await state.each(some.map((table) => idStatement(table, '')));
    for (const [n, { name }] of some.entries()) rows.set(name, idsIn(found[n]));
  }
  return { since: state.snapshot.xmin, rows };
}

/**
 * Compares a state with the marks of an earlier one. Returns the tables that differ, and the marks of this state. The rows that
 * the earlier state had and that no later transaction has written, together with the rows that one has, are all rows that
 * there can be. So a count tells whether rows are gone.
 */
export async function findChanges(
  state: PostgresState,
  tables: readonly MarkedTable[],
  marks: StateMarks,
): Promise<FoundChanges<StateMarks>> {
  const changes = new Map<string, TableChanges>();
  const rows = new Map<string, IdTable>();
  const isWritten = writtenSince(marks.since);
  const byName = new Map(tables.map((table) => [table.name, table]));
  for (const { name, total, written } of await countRows(state, tables, isWritten)) {
    const before = marks.rows.get(name) ?? IdTable.empty;
    rows.set(name, before);
    if (written === 0 && total === before.size) continue;
    const table = byName.get(name)!;
    const found = written > 0 ? await readIds(state, table, ` WHERE ${isWritten}`) : IdTable.empty;
    const union = before.with(new Map(Array.from(found.ids, (id, i) => [id, found.values[i]])));
    const after = union.size === total ? union : await readIds(state, table, '');
    const gone = after === union ? [] : Array.from(before.ids).filter((id) => after.indexOf(id) === undefined);
    // rows of a table that was not known before
    const added = after === union ? [] : Array.from(after.ids).filter((id) => union.indexOf(id) === undefined);
    rows.set(name, after);
    changes.set(name, { written: [...found.ids, ...added], gone, before, after });
  }
  return { changes, marks: { since: state.snapshot.xmin, rows } };
}

interface TableCount {
  readonly name: string;
  readonly total: number;
  readonly written: number;
}

async function countRows(
  state: PostgresState,
  tables: readonly MarkedTable[],
  isWritten: string,
): Promise<TableCount[]> {
  const counts = tables.map(
    ({ name }, index) => `SELECT ${index}, count(*), count(*) FILTER (WHERE ${isWritten}) FROM ${quote(name)}`,
  );
  if (counts.length === 0) return [];
  const rows = await state.all(counts.join(' UNION ALL '));
  return rows.map(([index, total, written]) => ({
    name: tables[Number(index)].name,
    total: Number(total),
    written: Number(written),
  }));
}

async function readIds(state: PostgresState, table: MarkedTable, where: string): Promise<IdTable> {
  return idsIn(await state.all(idStatement(table, where)));
}

/** Selects ids as one text, which takes a tenth of the time that rows take. */
function idStatement({ name, kept }: MarkedTable, where: string): string {
  const column = kept === null ? '0' : quote(kept);
  return `SELECT array_agg("id")::text, array_agg(${column})::text FROM ${quote(name)}${where}`;
}

function idsIn([[ids, values]]: Rows): IdTable {
  return IdTable.of(numbersIn(ids as string | null), numbersIn(values as string | null));
}

/** Parses a text such as `{1,2,NULL}`. */
function numbersIn(text: string | null): Float64Array {
  return text === null ? new Float64Array(0) : Float64Array.from(text.slice(1, -1).split(','), Number);
}
