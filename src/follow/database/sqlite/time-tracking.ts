import type { Batch } from '../../../changes/batch/batch.ts';
import { IdTable, IdTableBuilder } from '../../../core/sets/id-table.ts';
import { quote } from '../../../load/database/database.ts';
import type { DatabaseState } from '../../../load/database/database-state.ts';
import {
  type LinkTable,
  type TableMapping,
  type TypeTable,
  tablesOfType,
} from '../../../load/database/table-mapping.ts';
import { linkName } from '../../../store/writer/links/store-links.ts';
import type { Extent } from '../../project/comparison-schedule.ts';
import type { ChangedEntries, TableMarks, TableTracking } from '../followed-database.ts';

/**
 * Rows changed within this many milliseconds before a state was opened are read again from the next state. A transaction
 * that was committed after the state may have written the same time of change.
 */
const youngMilliseconds = 5000;

/** Texts about tables of one state that differ for other rows. Null: unknown. */
export interface TableChecksums {
  /** Covers the ids of the rows and when each was changed, at least. */
  times(table: string, updatedAt: string): Promise<string>;
  /** Covers the links of a table, at least. */
  links(table: LinkTable): Promise<string | null>;
  /** The same if a link has texts of this many characters at most. */
  linksWithTexts(table: LinkTable, longest: number): Promise<string | null>;
  /** Covers all of the rows. */
  rows(table: string): Promise<string | null>;
}

interface TimeMarks extends TableMarks {
  /** By uid of a content type: when each row was last changed. Without types that have no `updatedAt`. */
  readonly versions: ReadonlyMap<string, TableVersions>;
  /** By uid and name of an owning attribute: a digest of its links. Null if unknown. */
  readonly links: ReadonlyMap<string, string | null>;
  /** By uid of a content type: a digest of its rows and components where that still describes the entries. */
  readonly digests: ReadonlyMap<string, string>;
  /** A time before the state was opened, in milliseconds since 1970. */
  readonly openedAt: number;
}

interface TableVersions {
  readonly checksum: string;
  /** By id: milliseconds since 1970, or NaN. */
  readonly changedAt: IdTable;
}

/** Tracks rows by their time of change, links and whole types by checksums of their tables. */
export class TimeTracking implements TableTracking {
  readonly #state: DatabaseState;
  readonly #mapping: TableMapping;
  readonly #checksums: TableChecksums;
  readonly #before: TimeMarks | null;
  readonly #extent: Extent;
  readonly #uids: string[] = [];
  readonly #versions = new Map<string, TableVersions>();
  readonly #links = new Map<string, string | null>();
  /** Checksums of tables. Types share components. */
  readonly #digests = new Map<string, string | null>();

  constructor(
    state: DatabaseState,
    mapping: TableMapping,
    checksums: TableChecksums,
    before: TableMarks | null,
    extent: Extent,
  ) {
    this.#state = state;
    this.#mapping = mapping;
    this.#checksums = checksums;
    const { name } = state.database.dialect;
    this.#before = before?.client === name ? (before as TimeMarks) : null;
    this.#extent = extent;
  }

  async entries(type: TypeTable): Promise<ChangedEntries | null> {
    this.#uids.push(type.uid);
    const column = type.columns.find(({ attribute }) => attribute === 'updatedAt')?.column;
    if (column === undefined) return null;
    const before = this.#before?.versions.get(type.uid);
    const after = await this.#readVersions(type.table, column, before);
    this.#versions.set(type.uid, after);
    if (!before) return null;
    const changed: number[] = [];
    const gone: number[] = [];
    IdTable.eachDifference(before.changedAt, after.changedAt, (id, _, present) => {
      (present === null ? gone : changed).push(id);
    });
    return { changed, uncertain: await this.#youngRows(type.table, column), gone };
  }

  async hasSameEntries(uid: string): Promise<boolean> {
    const before = this.#before?.digests.get(uid);
    return before !== undefined && before === (await this.#digestOf(uid));
  }

  async hasSameLinks(table: LinkTable): Promise<boolean> {
    const name = linkName(table.uid, table.attribute);
    const before = this.#before?.links.get(name) ?? null;
    this.#links.set(name, before);
    return before !== null && before === (await this.#checksums.links(table));
  }

  async readLinks(table: LinkTable, longest: number): Promise<void> {
    const digest = await this.#checksums.linksWithTexts(table, longest);
    this.#links.set(linkName(table.uid, table.attribute), digest);
  }

  async finish(batch: Batch | null): Promise<TimeMarks> {
    return {
      client: this.#state.database.dialect.name,
      versions: this.#versions,
      links: this.#links,
      digests: batch && this.#extent === 'changes' ? this.#digestsAfter(batch) : await this.#allDigests(),
      openedAt: this.#state.openedAt,
    };
  }

  /** Reads the times of change of a type's rows, unless the checksum equals that of `before`. */
  async #readVersions(table: string, column: string, before?: TableVersions): Promise<TableVersions> {
    const { database } = this.#state;
    const checksum = await this.#checksums.times(table, column);
    if (before?.checksum === checksum) return before;
    const builder = new IdTableBuilder();
    for await (const part of database.parts(`SELECT "id", ${quote(column)} FROM ${quote(table)} ORDER BY "id"`)) {
      for (const [id, time] of part) {
        builder.add(Number(id), time === null ? Number.NaN : database.dialect.readTime(time));
      }
    }
    return { checksum, changedAt: builder.finish() };
  }

  /** Returns the ids of rows that may have been changed again after the earlier state, at the same time. */
  async #youngRows(table: string, column: string): Promise<number[]> {
    const { openedAt } = this.#before!;
    const statement = `SELECT "id" FROM ${quote(table)} WHERE ${quote(column)} BETWEEN ? AND ?`;
    const range = [openedAt - youngMilliseconds, openedAt + youngMilliseconds];
    const rows = await this.#state.database.all(statement, range);
    return rows.map(([id]) => Number(id));
  }

  /** Returns a digest of the rows and components of a content type; undefined if it is unknown. */
  async #digestOf(uid: string): Promise<string | undefined> {
    const ofTables: string[] = [];
    for (const table of tablesOfType(uid, this.#mapping)) {
      let digest = this.#digests.get(table);
      if (digest === undefined) this.#digests.set(table, (digest = await this.#checksums.rows(table)));
      if (digest === null) return undefined;
      ofTables.push(digest);
    }
    return ofTables.join(' ');
  }

  async #allDigests(): Promise<ReadonlyMap<string, string>> {
    const digests = new Map<string, string>();
    for (const uid of this.#uids) {
      const digest = await this.#digestOf(uid);
      if (digest !== undefined) digests.set(uid, digest);
    }
    return digests;
  }

  /** Returns the earlier digests of the types that a batch does not change. */
  #digestsAfter({ entities }: Batch): ReadonlyMap<string, string> {
    const changed = new Set(entities.map(({ type }) => type));
    return new Map([...(this.#before?.digests ?? [])].filter(([uid]) => !changed.has(uid)));
  }
}
