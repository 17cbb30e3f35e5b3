import { type EntryIds, markedTables, ownersOfChanges } from '../../../load/database/postgres/changed-entries.ts';
import type { OpenedPostgresState } from '../../../load/database/postgres/postgres-states.ts';
import {
  areOutdated,
  findChanges,
  type StateMarks,
  type TableChanges,
} from '../../../load/database/postgres/row-changes.ts';
import { type LinkTable, listColumn, type TableMapping, type TypeTable } from '../../../load/database/table-mapping.ts';
import type { RowChanges, TableMarks, TableTracking } from '../followed-database.ts';

/** The marks of a state, and the run of the server that had it. */
export class PostgresMarks implements TableMarks {
  readonly client = 'postgres';
  readonly marks: StateMarks;
  readonly #server: string;

  constructor(marks: StateMarks, server: string) {
    this.marks = marks;
    this.#server = server;
  }

  /** Returns why a later state cannot be compared, as a clause for the log, or null. */
  incomparable(state: OpenedPostgresState): string | null {
    // after a crash or a failover, the last commits may be lost, and their numbers given to others
    if (state.server !== this.#server) return 'the server of the database was started again, or is another one';
    return areOutdated(this.marks, state.snapshot) ? 'too many transactions were begun since it was read' : null;
  }
}

interface Found {
  readonly changes: ReadonlyMap<string, TableChanges>;
  readonly owners: EntryIds;
  readonly marks: StateMarks;
}

/** Tracks rows and components by the transactions that wrote them, and by counts. */
export class PostgresTracking implements TableTracking {
  readonly #state: OpenedPostgresState;
  readonly #mapping: TableMapping;
  readonly #before: PostgresMarks;
  #found: Promise<Found> | null = null;

  constructor(state: OpenedPostgresState, mapping: TableMapping, before: PostgresMarks) {
    this.#state = state;
    this.#mapping = mapping;
    this.#before = before;
  }

  /** Also returns the entries with a component that has changed. */
  async entries({ uid, table }: TypeTable): Promise<RowChanges> {
    const found = await this.#find();
    const { written = [], gone = [] } = found.changes.get(table) ?? {};
    const missing = new Set(gone);
    const owners = [...(found.owners.get(uid) ?? [])].filter((id) => !missing.has(id));
    return { changed: [...written, ...owners], uncertain: [], gone };
  }

  async hasSameEntries(uid: string): Promise<boolean> {
    const found = await this.#find();
    return !found.changes.has(this.#mapping.types.get(uid)!.table) && !found.owners.has(uid);
  }

  async hasSameLinks({ table }: LinkTable): Promise<boolean> {
    const found = await this.#find();
    return !found.changes.has(table);
  }

  async changedLists(link: LinkTable): Promise<ReadonlySet<number> | null> {
    const found = await this.#find();
    const changes = found.changes.get(link.table);
    if (!changes) return new Set();
    const { written, gone, before, after } = changes;
    const rows = [...written, ...gone];
    if (link.source === 'id') return new Set(rows);
    // links of another attribute may be in the same table, by another column
    const kept = markedTables(this.#mapping).find(({ name }) => name === link.table)!.kept;
    if (kept !== listColumn(link)) return null;
    const lists = rows.flatMap((id) => [before.get(id), after.get(id)]);
    return new Set(lists.filter((id) => id !== undefined && !Number.isNaN(id)) as number[]);
  }

  /** Links are marked by their rows. */
  async readLinks(): Promise<void> {}

  async finish(): Promise<TableMarks> {
    const found = await this.#find();
    return new PostgresMarks(found.marks, this.#state.server);
  }

  #find(): Promise<Found> {
    this.#found ??= this.#compare(this.#before.marks);
    return this.#found;
  }

  async #compare(before: StateMarks): Promise<Found> {
    const { current } = this.#state;
    const { changes, marks } = await findChanges(current, markedTables(this.#mapping), before);
    return { changes, marks, owners: await ownersOfChanges(current, this.#mapping, changes) };
  }
}
