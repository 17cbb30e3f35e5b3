import { type EntryIds, markedTables, ownersOfChanges } from '../../load/database/changed-entries.ts';
import type { Database } from '../../load/database/database.ts';
import type { FoundChanges, MarkedTable } from '../../load/database/row-changes.ts';
import { type LinkTable, listColumn, type TableMapping, type TypeTable } from '../../load/database/table-mapping.ts';
import type { ChangedEntries, TableMarks, TableTracking } from './followed-database.ts';

/** Finds the rows of tables that differ from an earlier state, with the marks of this one. */
export type FindChanges = (tables: readonly MarkedTable[]) => Promise<FoundChanges<TableMarks>>;

interface Found extends FoundChanges<TableMarks> {
  readonly owners: EntryIds;
}

/** Tracks entries and links by the rows that a database finds changed, those of components included. */
export class RowTracking implements TableTracking {
  readonly #database: Database;
  readonly #mapping: TableMapping;
  readonly #tables: readonly MarkedTable[];
  readonly #findChanges: FindChanges;
  #found: Promise<Found> | null = null;

  constructor(database: Database, mapping: TableMapping, findChanges: FindChanges) {
    this.#database = database;
    this.#mapping = mapping;
    this.#tables = markedTables(mapping);
    this.#findChanges = findChanges;
  }

  /** Also returns the entries with a component that has changed. */
  async entries({ uid, table }: TypeTable): Promise<ChangedEntries> {
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
    const kept = this.#tables.find(({ name }) => name === link.table)!.kept;
    if (kept !== listColumn(link)) return null;
    const lists = rows.flatMap((id) => [before.get(id), after.get(id)]);
    return new Set(lists.filter((id) => id !== undefined && !Number.isNaN(id)) as number[]);
  }

  /** Links are marked by their rows. */
  async readLinks(): Promise<void> {}

  async finish(): Promise<TableMarks> {
    return (await this.#find()).marks;
  }

  #find(): Promise<Found> {
    this.#found ??= this.#compare();
    return this.#found;
  }

  async #compare(): Promise<Found> {
    const found = await this.#findChanges(this.#tables);
    return { ...found, owners: await ownersOfChanges(this.#database, this.#mapping, found.changes) };
  }
}
