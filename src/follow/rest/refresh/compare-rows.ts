/** Finds changed documents by cheap requests: ids, times and counts. */

import type { Shown } from '../read-row.ts';
import type { RowSource } from '../row-source.ts';
import { isShownScalar, type Slice } from '../slices.ts';
import type { KnownRows } from './known-rows.ts';

/** A transaction sets times before it ends, and clocks differ. In milliseconds. */
const overlap = 10_000;

/** Takes what differs, or may differ. */
export interface Differences {
  addDocument(type: string, documentId: string): void;
  /** Any entry of a type may differ. */
  addType(type: string): void;
}

/** Attributes by which rows are compared. */
const fields = ['documentId', 'updatedAt'];

/**
 * Finds the documents of a type that differ from the known rows. `since` is the time of the server before which
 * all changes are known, in milliseconds since 1970. Rejects with a SnapshotError.
 */
export async function compareRows(
  reader: RowSource,
  slices: readonly Slice[],
  known: KnownRows,
  since: number,
  differences: Differences,
): Promise<void> {
  await Promise.all(
    slices.map(async (slice) => {
      const { type, kind } = slice.readable;
      // another slice has the same rows
      if (slice.isOnlyLinks) return;
      if (kind === 'single' || !isShownScalar(type, 'updatedAt')) return differences.addType(type.uid);
      await new SliceComparison(reader, slice, known, differences).run(since);
    }),
  );
}

class SliceComparison {
  readonly #reader: RowSource;
  readonly #slice: Slice;
  readonly #known: KnownRows;
  readonly #differences: Differences;
  readonly #uid: string;

  constructor(reader: RowSource, slice: Slice, known: KnownRows, differences: Differences) {
    this.#reader = reader;
    this.#slice = slice;
    this.#known = known;
    this.#differences = differences;
    this.#uid = slice.readable.type.uid;
  }

  async run(since: number): Promise<void> {
    // users and files are not counted
    if (this.#slice.readable.kind === 'list') return this.#compareAll();
    const known = this.#known.summary(this.#uid, this.#published);
    const [added, recent, count] = await Promise.all([
      this.#scan(known.greatestId),
      this.#scan(0, this.#changedSince(since - overlap)),
      this.#reader.count(this.#slice),
    ]);
    const unknown = new Set<number>();
    for (const row of [...added, ...recent]) {
      if (this.#compare(row)) continue;
      unknown.add(row.id);
    }
    if (count !== known.count + unknown.size) await this.#compareAll();
  }

  /** Whether the rows of the slice are published. Null: a row of a type without drafts has any status. */
  get #published(): boolean | null {
    const { status, readable } = this.#slice;
    return readable.type.draftAndPublish ? status === 'published' : null;
  }

  /** A published row keeps the time at which its draft was edited. */
  #changedSince(since: number): object {
    const time = { $gte: new Date(since).toISOString() };
    const hasPublishedAt = isShownScalar(this.#slice.readable.type, 'publishedAt');
    return { $or: [{ updatedAt: time }, ...(hasPublishedAt ? [{ publishedAt: time }] : [])] };
  }

  async #compareAll(): Promise<void> {
    const found = new Set<number>();
    for (const row of await this.#scan(0)) {
      found.add(row.id);
      this.#compare(row);
    }
    for (const { id, documentId, published } of this.#known.ofType(this.#uid)) {
      const isOfSlice = this.#published === null || published === this.#published;
      if (isOfSlice && !found.has(id) && documentId !== null) this.#differences.addDocument(this.#uid, documentId);
    }
  }

  async #scan(after: number, filters?: object): Promise<Shown[]> {
    const rows: Shown[] = [];
    for (let next: number | null = after; next !== null; ) {
      const page = await this.#reader.scan(this.#slice, next, fields, filters);
      rows.push(...page.rows);
      next = page.next;
    }
    return rows;
  }

  /** Adds the document of a row that differs. Returns whether the row is known. */
  #compare({ id, documentId, updatedAt }: Shown): boolean {
    const row = this.#known.get(this.#uid, id);
    if (row?.updatedAt !== updatedAt && typeof documentId === 'string') {
      this.#differences.addDocument(this.#uid, documentId);
    }
    return row !== undefined;
  }
}
