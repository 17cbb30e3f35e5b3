import type { Batch } from '../../../changes/batch/batch.ts';
import { IdTable, IdTableBuilder } from '../../../core/sets/id-table.ts';
import { quote } from '../../../load/database/database.ts';
import type { SqliteState } from '../../../load/database/sqlite/sqlite-states.ts';
import type { LinkTable, TableMapping, TypeTable } from '../../../load/database/table-mapping.ts';
import { linkName } from '../../../store/writer/links/store-links.ts';
import type { Extent } from '../../project/comparison-schedule.ts';
import type { RowChanges, TableMarks, TableTracking } from '../followed-database.ts';
import { inlineLinkChecksum, versionChecksum } from './table-checksums.ts';

/**
 * Rows changed within this many milliseconds before a copy are read again from the next copy. A transaction that was
 * committed after the copy may have written the same time of change.
 */
const youngMilliseconds = 5000;
/** Maximum characters of names in a link. Longer rows might not fit a page of 512 bytes, the smallest. */
const longText = 100;

interface SqliteMarks extends TableMarks {
  readonly client: 'sqlite';
  /** By uid of a content type: when each row was last changed. Without types that have no `updatedAt`. */
  readonly versions: ReadonlyMap<string, TableVersions>;
  /** By uid and name of an owning attribute: a digest of its links. Null if unknown. */
  readonly links: ReadonlyMap<string, string | null>;
  /** By uid of a content type: a digest of its rows and components where that still describes the entries. */
  readonly digests: ReadonlyMap<string, string>;
  /** When the copy was made, in milliseconds since 1970. */
  readonly copiedAt: number;
}

interface TableVersions {
  readonly checksum: string;
  /** By id: milliseconds since 1970, or NaN. */
  readonly changedAt: IdTable;
}

/** Tracks rows by their time of change, links and whole types by the pages of their tables. */
export class SqliteTracking implements TableTracking {
  readonly #state: SqliteState;
  readonly #mapping: TableMapping;
  readonly #before: SqliteMarks | null;
  readonly #extent: Extent;
  readonly #uids: string[] = [];
  readonly #versions = new Map<string, TableVersions>();
  readonly #links = new Map<string, string | null>();
  /** Digests of tables with their long rows. Types share components. */
  readonly #digests = new Map<string, string | null>();

  constructor(state: SqliteState, mapping: TableMapping, before: TableMarks | null, extent: Extent) {
    this.#state = state;
    this.#mapping = mapping;
    this.#before = before?.client === 'sqlite' ? (before as SqliteMarks) : null;
    this.#extent = extent;
  }

  async entries(type: TypeTable): Promise<RowChanges | null> {
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
    return before !== undefined && before === this.#digestOf(uid);
  }

  async hasSameLinks(table: LinkTable): Promise<boolean> {
    const name = linkName(table.uid, table.attribute);
    const before = this.#before?.links.get(name) ?? null;
    this.#links.set(name, before);
    return before !== null && before === (await this.#linkDigest(table));
  }

  async readLinks(table: LinkTable, longest: number): Promise<void> {
    const digest = longest > longText ? null : await this.#linkDigest(table);
    this.#links.set(linkName(table.uid, table.attribute), digest);
  }

  async finish(batch: Batch | null): Promise<SqliteMarks> {
    return {
      client: 'sqlite',
      versions: this.#versions,
      links: this.#links,
      digests: batch && this.#extent === 'changes' ? this.#digestsAfter(batch) : this.#allDigests(),
      copiedAt: this.#state.openedAt,
    };
  }

  /** Reads the times of change of a type's rows, unless the checksum equals that of `before`. */
  async #readVersions(table: string, column: string, before?: TableVersions): Promise<TableVersions> {
    const { database } = this.#state;
    const checksum = await versionChecksum(database, table, column);
    if (before?.checksum === checksum) return before;
    const builder = new IdTableBuilder();
    for await (const part of database.parts(`SELECT "id", ${quote(column)} FROM ${quote(table)} ORDER BY "id"`)) {
      for (const [id, time] of part) {
        builder.add(Number(id), time === null ? Number.NaN : database.dialect.readTime(time));
      }
    }
    return { checksum, changedAt: builder.finish() };
  }

  /** Returns the ids of rows that may have been changed again after the earlier copy, at the same time. */
  async #youngRows(table: string, column: string): Promise<number[]> {
    const { copiedAt } = this.#before!;
    const statement = `SELECT "id" FROM ${quote(table)} WHERE ${quote(column)} BETWEEN ? AND ?`;
    const range = [copiedAt - youngMilliseconds, copiedAt + youngMilliseconds];
    return (await this.#state.database.all(statement, range)).map(([id]) => Number(id));
  }

  /** Returns a text that differs for other links. The rows of a content type may be too long for a digest of pages. */
  async #linkDigest(table: LinkTable): Promise<string | null> {
    if (table.source === 'id') return inlineLinkChecksum(this.#state.database, table);
    return this.#state.pages.digest(table.table);
  }

  /** Returns a digest of the rows and components of a content type; undefined if it is unknown. */
  #digestOf(uid: string): string | undefined {
    const ofTables = Array.from(tablesOf(uid, this.#mapping), (table) => {
      let digest = this.#digests.get(table);
      if (digest === undefined) this.#digests.set(table, (digest = this.#state.pages.digest(table, true)));
      return digest;
    });
    return ofTables.includes(null) ? undefined : ofTables.join(' ');
  }

  #allDigests(): ReadonlyMap<string, string> {
    return new Map(
      this.#uids.flatMap((uid) => {
        const digest = this.#digestOf(uid);
        return digest === undefined ? [] : [[uid, digest] as const];
      }),
    );
  }

  /** Returns the earlier digests of the types that a batch does not change. */
  #digestsAfter({ entities }: Batch): ReadonlyMap<string, string> {
    const changed = new Set(entities.map(({ type }) => type));
    return new Map([...(this.#before?.digests ?? [])].filter(([uid]) => !changed.has(uid)));
  }
}

/** Returns the tables of a content type, of its components, and of those inside them. */
function tablesOf(uid: string, { types }: TableMapping): Set<string> {
  const tables = new Set<string>();
  const uids = new Set([uid]);
  // grows while it is walked
  for (const each of uids) {
    const type = types.get(each);
    if (!type) continue;
    tables.add(type.table);
    if (!type.components) continue;
    tables.add(type.components.table);
    for (const { accepts } of type.components.fields.values()) for (const component of accepts) uids.add(component);
  }
  return tables;
}
