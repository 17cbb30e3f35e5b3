import { idsOf } from '../../../changes/diff/equal-rows.ts';
import { IdTable } from '../../../core/sets/id-table.ts';
import type { LinkAttribute } from '../../../model/schema/schema.ts';
import type { Collection } from '../../../store/collection.ts';
import type { Adjacency } from '../../../store/links/adjacency.ts';
import { digestOf, type SourceRow } from './source-row.ts';

/** The number and the greatest id of some rows. */
export interface RowSummary {
  readonly count: number;
  readonly greatestId: number;
}

/** The targets of row r are `targets[offsets[r]]` up to `targets[offsets[r + 1]]`, in order. */
export type RowLinks = Pick<Adjacency, 'offsets' | 'targets'>;

/** The targets of a row. */
export function targetsOf({ offsets, targets }: RowLinks, row: number): Uint32Array {
  return targets.subarray(offsets[row], offsets[row + 1]);
}

/** Targets are numbered over all types: those of a type follow each other, in the order of their ids. */
export interface LoadedList {
  readonly attribute: LinkAttribute;
  readonly links: RowLinks;
  /** As `PolymorphicAdjacency.shownBy`. */
  readonly shownBy: Uint16Array | null;
}

/** The rows that link to each row of a type, in the order of the inverse attribute. */
export interface LoadedSources {
  readonly inverse: string;
  readonly owner: LoadedType;
  readonly links: RowLinks;
}

/** The rows of a type in loaded content. */
export class LoadedType {
  readonly uid: string;
  readonly definition: Collection['type'];
  /** The number of its first row among the rows of all types. */
  readonly start: number;
  /** By id: `KnownRow.digest`. Components have none. */
  readonly digests: IdTable;
  readonly lists: LoadedList[] = [];
  readonly sources: LoadedSources[] = [];
  readonly #published: Collection['published'];
  readonly #documentIds: (string | null)[];
  /** In milliseconds since 1970. NaN: see `#otherTimes`. */
  readonly #times: Float64Array;
  /** By row: what the API sends instead of a time in the usual format. */
  readonly #otherTimes = new Map<number, unknown>();
  /** The last row of each document, and for each row an earlier row of its document, or -1. */
  readonly #lastOfDocument = new Map<string, number>();
  readonly #earlier: Int32Array;

  constructor(collection: Collection, start: number) {
    const count = collection.type.kind === 'component' ? 0 : collection.rowCount;
    this.definition = collection.type;
    this.uid = collection.type.uid;
    this.start = start;
    this.digests = IdTable.of(idsOf(collection).slice(), new Float64Array(collection.rowCount));
    this.#published = collection.published?.clone() ?? null;
    this.#documentIds = new Array<string | null>(count).fill(null);
    this.#times = new Float64Array(count).fill(Number.NaN);
    this.#earlier = new Int32Array(count).fill(-1);
  }

  /** Takes the values of an entry. */
  take(id: number, data: SourceRow['data']): void {
    const row = this.digests.indexOf(id);
    if (row === undefined) return;
    this.digests.values[row] = digestOf(this.isPublished(row), data);
    const { updatedAt, documentId } = data;
    const time = typeof updatedAt === 'string' ? Date.parse(updatedAt) : Number.NaN;
    if (!Number.isNaN(time) && new Date(time).toISOString() === updatedAt) this.#times[row] = time;
    else this.#otherTimes.set(row, updatedAt);
    if (typeof documentId !== 'string') return;
    const other = this.#lastOfDocument.get(documentId);
    // rows of a document share one string
    this.#documentIds[row] = other === undefined ? documentId : this.#documentIds[other];
    this.#earlier[row] = other ?? -1;
    this.#lastOfDocument.set(documentId, row);
  }

  get rowCount(): number {
    return this.digests.size;
  }

  isPublished(row: number): boolean {
    return this.#published?.has(row) ?? true;
  }

  documentId(row: number): string | null {
    return this.#documentIds[row];
  }

  updatedAt(row: number): unknown {
    const time = this.#times[row];
    return Number.isNaN(time) ? this.#otherTimes.get(row) : new Date(time).toISOString();
  }

  ofDocument(documentId: string): number[] {
    const rows: number[] = [];
    for (let row = this.#lastOfDocument.get(documentId) ?? -1; row >= 0; row = this.#earlier[row]) rows.push(row);
    return rows;
  }

  /** As `KnownRows.summary`. */
  summary(published: boolean | null): RowSummary {
    let [count, greatestId] = [0, 0];
    for (let row = 0; row < this.rowCount; row++) {
      if (published !== null && this.isPublished(row) !== published) continue;
      count++;
      greatestId = this.digests.ids[row];
    }
    return { count, greatestId };
  }
}
