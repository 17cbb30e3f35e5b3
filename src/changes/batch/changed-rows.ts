import { mapAt } from '../../core/map-at.ts';
import type { EntryType } from '../../model/schema/schema.ts';
import { readText } from '../../store/read-value.ts';
import { rowsOfDocument } from '../../store/rows-of-document.ts';
import { rowOfId } from '../../store/segment.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import type { LinkTarget } from './batch.ts';
import { idOfRow } from './stored-links.ts';

/** An entry or component that a batch writes. */
export interface WrittenRow {
  readonly type: EntryType;
  readonly id: number;
  readonly version: RowVersion;
  /** The row of the store that it replaces; undefined for a new one. */
  readonly replaces: number | undefined;
  readonly location: string;
  /** Its components by attribute. */
  readonly components: Map<string, LinkTarget[]>;
}

/** Identifies an entry within its document. */
export interface RowVersion {
  readonly documentId: string | null;
  readonly published: boolean;
  readonly locale: string | null;
}

/** Returns a key that is unique among the entries of a document. */
export function versionKey({ published, locale }: Pick<RowVersion, 'published' | 'locale'>): string {
  return `${published} ${locale}`;
}

/** The rows of a store as they are after a batch. */
export class ChangedRows {
  readonly store: Store;
  /** By uid and id. */
  readonly written = new Map<string, Map<number, WrittenRow>>();
  /** The ids of the rows that die, by uid. */
  readonly deleted = new Map<string, Set<number>>();

  /** The ids of written entries by uid and documentId. */
  readonly #documents = new Map<string, number[]>();

  constructor(store: Store) {
    this.store = store;
  }

  write(row: WrittenRow): void {
    const { uid } = row.type;
    mapAt(this.written, uid, () => new Map()).set(row.id, row);
    const { documentId } = row.version;
    if (documentId !== null) mapAt(this.#documents, `${uid} ${documentId}`, () => []).push(row.id);
  }

  delete(uid: string, id: number): void {
    mapAt(this.deleted, uid, () => new Set()).add(id);
  }

  /** Whether there is an entry or component after the batch. */
  has(uid: string, id: number): boolean {
    if (this.written.get(uid)?.has(id)) return true;
    return !this.deleted.get(uid)?.has(id) && rowOfId(segmentOf(this.store, uid), id) !== undefined;
  }

  /** The version of an entry that exists after the batch. */
  versionOf(uid: string, id: number): RowVersion {
    const written = this.written.get(uid)?.get(id);
    return written ? written.version : storedVersion(this.store, uid, rowOfId(segmentOf(this.store, uid), id)!);
  }

  /** The ids of the entries that a document has after the batch. */
  idsOfDocument(uid: string, documentId: string): Set<number> {
    const segment = segmentOf(this.store, uid);
    const deleted = this.deleted.get(uid);
    const stored = rowsOfDocument(segment, documentId).map((row) => idOfRow(segment, row));
    const ids = new Set(stored.filter((id) => !deleted?.has(id)));
    for (const id of this.#documents.get(`${uid} ${documentId}`) ?? []) ids.add(id);
    return ids;
  }
}

/** The version of a live row. */
export function storedVersion(store: Store, uid: string, row: number): RowVersion {
  const segment = segmentOf(store, uid);
  return {
    documentId: readText(segment, row, 'documentId'),
    published: segment.published?.has(row) ?? true,
    locale: readText(segment, row, 'locale'),
  };
}
