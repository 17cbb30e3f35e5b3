import { mapAt } from '../../core/map-at.ts';
import { type Problems, preview } from '../../core/problems.ts';
import { type EntryVersion, EntryVersions } from '../../load/json/entry-version.ts';
import { type EntryType, isAdministration } from '../../model/schema/schema.ts';
import { rowsOfDocument } from '../../store/rows-of-document.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import { describeWrongType } from './batch.ts';
import { type RowVersion, storedVersion, versionKey } from './changed-rows.ts';
import type { Deletion } from './json-change.ts';

/** An entry to write. */
export interface PlannedEntry {
  readonly type: EntryType;
  readonly version: EntryVersion;
  /** The row that it replaces; undefined for a new entry. */
  readonly row: number | undefined;
  /** The index of its last change. */
  readonly change: number;
}

/** Names an entry in the same way for every spelling of a change: whatever it leaves out has its default value. */
export function entryKey({ type, version }: Pick<PlannedEntry, 'type' | 'version'>): string {
  return JSON.stringify([type.uid, version.documentId, versionKey(version)]);
}

/** An entry of a document as it is after the changes: a live row, or a new entry. */
export type DocumentEntry = RowVersion &
  ({ readonly row: number } | { readonly row: undefined; readonly entry: PlannedEntry });

/** Takes changes in order. A later change of an entry replaces an earlier one. */
export class ChangePlan {
  readonly #store: Store;
  readonly #versions: EntryVersions;
  readonly #problems: Problems;
  /** By uid and documentId, then by version. */
  readonly #documents = new Map<string, Map<string, PlannedEntry>>();
  /** In the order of the last changes. */
  readonly #entries = new Set<PlannedEntry>();
  readonly #deleted = new Map<EntryType, Set<number>>();

  constructor(store: Store, problems: Problems) {
    this.#store = store;
    this.#versions = new EntryVersions(problems, store.defaultLocale, store.locales);
    this.#problems = problems;
  }

  /** The entries to write, in the order of their changes. */
  get entries(): ReadonlySet<PlannedEntry> {
    return this.#entries;
  }

  /** The rows to delete, by type. */
  get deleted(): ReadonlyMap<EntryType, ReadonlySet<number>> {
    return this.#deleted;
  }

  /** Returns a content type. Returns null and reports the uid if it names no content type. */
  typeOf(uid: string, location: string): EntryType | null {
    const { schema } = this.#store;
    const type = schema.types.get(uid);
    if (type && type.kind !== 'component' && !isAdministration(uid)) return type;
    this.#problems.add(location, describeWrongType(schema, uid));
    return null;
  }

  /** `change` is the index of the change, for messages. */
  upsert(type: EntryType, entry: unknown, change: number): void {
    const location = `changes[${change}].entry`;
    const version = this.#versions.read(type, entry, { unnamed: () => location, named: () => location });
    if (!version) return;
    const planned = this.#plannedOf(type, version.documentId);
    const key = versionKey(version);
    this.#entries.delete(planned.get(key)!);
    const row = this.#rowsOf(type, version.documentId).find((row) => versionKey(this.#versionOf(type, row)) === key);
    const added = { type, version, row, change };
    planned.set(key, added);
    this.#entries.add(added);
  }

  delete(type: EntryType, { documentId, locale, status }: Deletion, location: string): void {
    const { count } = this.#problems;
    const onlyLocale = locale === undefined ? undefined : this.#versions.localeOf(type, locale, location);
    const onlyPublished = status && this.#versions.isPublishedStatus(type, status, location);
    if (this.#problems.count > count) return;
    const matches = (version: RowVersion) =>
      (onlyLocale === undefined || version.locale === onlyLocale) &&
      (onlyPublished === undefined || version.published === onlyPublished);
    const found = this.entriesOf(type, documentId).filter(matches);
    for (const entry of found) {
      if (entry.row !== undefined) mapAt(this.#deleted, type, () => new Set()).add(entry.row);
      const planned = this.#plannedOf(type, documentId);
      this.#entries.delete(planned.get(versionKey(entry))!);
      planned.delete(versionKey(entry));
    }
    if (found.length > 0) return;
    const only = [locale, status].filter((part) => part !== undefined).join(', ');
    const message = `no ${type.singularName} with documentId ${preview(documentId)}${only && ` (${only})`}`;
    this.#problems.add(location, message);
  }

  /** The entries that a document has after the changes so far. */
  entriesOf(type: EntryType, documentId: string): DocumentEntry[] {
    const stored = this.#rowsOf(type, documentId).map((row) => ({ ...this.#versionOf(type, row), row }));
    const added = Array.from(this.#plannedOf(type, documentId).values()).filter(({ row }) => row === undefined);
    return [...stored, ...added.map((entry) => ({ ...rowVersionOf(entry.version), row: undefined, entry }))];
  }

  /** The live rows of a document that no change deletes. */
  #rowsOf(type: EntryType, documentId: string): number[] {
    const deleted = this.#deleted.get(type);
    return rowsOfDocument(segmentOf(this.#store, type.uid), documentId).filter((row) => !deleted?.has(row));
  }

  #versionOf({ uid }: EntryType, row: number): RowVersion {
    return storedVersion(this.#store, uid, row);
  }

  #plannedOf({ uid }: EntryType, documentId: string): Map<string, PlannedEntry> {
    return mapAt(this.#documents, `${uid} ${documentId}`, () => new Map());
  }
}

function rowVersionOf({ documentId, published, locale }: EntryVersion): RowVersion {
  return { documentId, published, locale };
}
