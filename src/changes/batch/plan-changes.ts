import { mapAt } from '../../core/map-at.ts';
import { type Problems, preview } from '../../core/problems.ts';
import { type EntryVersion, EntryVersions } from '../../load/json/entry-version.ts';
import { type EntryType, isAdministration } from '../../model/schema/schema.ts';
import { readNumber } from '../../store/read-value.ts';
import { rowsOfDocument } from '../../store/rows-of-document.ts';
import { rowOfId } from '../../store/segment.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import { applyPatch, type PatchedContent } from '../entries/apply-patch.ts';
import { checkConditions } from '../entries/conditions.ts';
import { ServedForm } from '../entries/served-form.ts';
import { type WritingOptions, WrittenEntries } from '../entries/written-entries.ts';
import { batchLimits, describeWrongType } from './batch.ts';
import type { BatchOptions } from './batch-options.ts';
import { type RowVersion, storedVersion, versionKey } from './changed-rows.ts';
import { type Deletion, entryNamedBy, type Patch, type Upsert } from './json-change.ts';

/** An entry to write. */
export interface PlannedEntry {
  readonly type: EntryType;
  readonly version: EntryVersion;
  /** The row that it replaces; undefined for a new entry. */
  readonly row: number | undefined;
  /** Whether the links that its values do not name stay as they are, because it is a patch of the row. */
  readonly keepsLinks: boolean;
}

/** An entry of a document as it is after the changes: a live row, or a new entry. */
export type DocumentEntry = RowVersion &
  ({ readonly row: number } | { readonly row: undefined; readonly entry: PlannedEntry });

/** Takes changes in order. A later upsert of an entry replaces an earlier one, and a patch changes it. */
export class ChangePlan {
  readonly #store: Store;
  readonly #versions: EntryVersions;
  readonly #problems: Problems;
  readonly #stored: WrittenEntries;
  readonly #served: ServedForm;
  readonly #now: string;
  /** By uid and documentId, then by version. */
  readonly #documents = new Map<string, Map<string, PlannedEntry>>();
  /** In the order of the last changes. */
  readonly #entries = new Set<PlannedEntry>();
  readonly #deleted = new Map<EntryType, Set<number>>();

  constructor(store: Store, problems: Problems, options: WritingOptions & Pick<BatchOptions, 'now'>) {
    this.#store = store;
    this.#versions = new EntryVersions(problems, store.defaultLocale, store.locales);
    this.#problems = problems;
    this.#stored = new WrittenEntries(store, options);
    this.#served = new ServedForm(store, problems, options);
    this.#now = options.now ?? new Date().toISOString();
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

  /** `index` is that of the change. Throws a RequestError if a condition is not met. */
  upsert(type: EntryType, change: Upsert, index: number): void {
    const location = `changes[${index}].entry`;
    const version = this.#read(type, change, location);
    if (!version) return;
    checkConditions(this.#store, type.uid, this.#storedRow(type, version), change, index);
    const row = this.#rowOf(type, version);
    const values = this.#served.written(type, version.values, row, location);
    const publishedAt = this.#publishedAt(type, version, change, row);
    this.#plan({ type, version: { ...version, values: { ...values, publishedAt } }, row, keepsLinks: false });
  }

  /** As `upsert`. Reports an entry that does not exist. */
  patch(type: EntryType, change: Patch, index: number): void {
    const location = `changes[${index}]`;
    const { documentId } = change;
    const target = this.#read(type, change, location);
    if (!target) return;
    checkConditions(this.#store, type.uid, this.#storedRow(type, target), change, index);
    const planned = this.#plannedOf(type, documentId).get(versionKey(target));
    const row = planned ? planned.row : this.#rowOf(type, target);
    if (!planned && row === undefined) return this.#reportMissing(type, target, location);
    if (this.#stored.bytes > batchLimits.bytes) {
      return this.#problems.add('changes', `the patched entries take more than ${batchLimits.bytes} bytes of JSON`);
    }
    const keepsLinks = planned?.keepsLinks ?? true;
    const before = planned ? planned.version.values : this.#stored.withoutLinks(type, row!);
    const base = { ...before, ...(type.draftAndPublish && { status: target.published ? 'published' : 'draft' }) };
    const patched = applyPatch(type, base, change, location, this.#patchedContent(keepsLinks));
    const at = change.at ?? this.#now;
    if (!change.set || !Object.hasOwn(change.set, 'updatedAt')) patched.updatedAt = at;
    const isDated = (patched.publishedAt ?? null) !== null;
    if (type.draftAndPublish && target.published && !isDated) patched.publishedAt = at;
    if (!target.published && isDated) this.#problems.add(location, 'a draft cannot have "publishedAt"');
    this.#plan({ type, version: { ...target, values: patched }, row, keepsLinks });
  }

  delete(type: EntryType, { documentId, locale, status, ifExists }: Deletion, location: string): void {
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
    if (found.length > 0 || ifExists) return;
    const only = [locale, status].filter((part) => part !== undefined).join(', ');
    this.#problems.add(location, describeAbsent(type, documentId, only));
  }

  /** The entries that a document has after the changes so far. */
  entriesOf(type: EntryType, documentId: string): DocumentEntry[] {
    const stored = this.#rowsOf(type, documentId).map((row) => ({ ...this.#versionOf(type, row), row }));
    const added = Array.from(this.#plannedOf(type, documentId).values()).filter(({ row }) => row === undefined);
    return [...stored, ...added.map((entry) => ({ ...rowVersionOf(entry.version), row: undefined, entry }))];
  }

  #read(type: EntryType, change: Upsert | Patch, location: string): EntryVersion | null {
    return this.#versions.read(type, entryNamedBy(type, change), { unnamed: () => location, named: () => location });
  }

  /** Plans an entry in the place of what was planned for it before. */
  #plan(entry: PlannedEntry): void {
    const planned = this.#plannedOf(entry.type, entry.version.documentId);
    const key = versionKey(entry.version);
    this.#entries.delete(planned.get(key)!);
    planned.set(key, entry);
    this.#entries.add(entry);
  }

  /**
   * Returns when an entry was published. Without a time, it is that of its creation, as in a JSON snapshot, or else that of
   * the request if the type has drafts. A draft that is sent as published has a null, and gets that of the request too. An
   * entry that is sent back as it was read keeps its null.
   */
  #publishedAt(
    type: EntryType,
    { published, values }: EntryVersion,
    { entry, at = this.#now }: Upsert,
    row: number | undefined,
  ): unknown {
    if (!published || (entry.publishedAt ?? null) !== null) return values.publishedAt;
    const isNull = entry.publishedAt === null;
    const segment = segmentOf(this.#store, type.uid);
    if (isNull && row !== undefined && readNumber(segment, row, 'publishedAt') === null) return null;
    return type.draftAndPublish && (isNull || (values.publishedAt ?? null) === null) ? at : values.publishedAt;
  }

  #patchedContent(keepsLinks: boolean): PatchedContent {
    const { schema } = this.#store;
    const rowOf = ({ uid }: EntryType, id: unknown) =>
      typeof id === 'number' ? rowOfId(segmentOf(this.#store, uid), id) : undefined;
    return {
      schema,
      problems: this.#problems,
      referencesOf: (type, attribute, { id }) => {
        const row = keepsLinks ? rowOf(type, id) : undefined;
        return row === undefined ? [] : this.#stored.references(type, attribute, row);
      },
      hasDocument: (type, documentId) => this.entriesOf(type, documentId).length > 0,
      asWritten: (type, given, { id }, location) => this.#served.written(type, given, rowOf(type, id), location),
    };
  }

  #reportMissing(type: EntryType, { documentId, locale, published }: EntryVersion, location: string): void {
    const labels = [...(locale === null ? [] : [locale]), ...(type.draftAndPublish ? [statusOf(published)] : [])];
    const others = this.entriesOf(type, documentId).map((entry) => {
      return [...(type.localized ? [entry.locale] : []), ...(type.draftAndPublish ? [statusOf(entry.published)] : [])];
    });
    const known = others.length === 0 ? '' : `: it has ${others.map((parts) => parts.join(' ')).join(', ')}`;
    this.#problems.add(location, describeAbsent(type, documentId, labels.join(', ')) + known);
  }

  /** The live rows of a document that no change deletes. */
  #rowsOf(type: EntryType, documentId: string): number[] {
    const deleted = this.#deleted.get(type);
    return rowsOfDocument(segmentOf(this.#store, type.uid), documentId).filter((row) => !deleted?.has(row));
  }

  #rowOf(type: EntryType, version: EntryVersion): number | undefined {
    return this.#withVersion(type, this.#rowsOf(type, version.documentId), version);
  }

  /** The row of an entry before all changes. */
  #storedRow(type: EntryType, version: EntryVersion): number | undefined {
    return this.#withVersion(type, rowsOfDocument(segmentOf(this.#store, type.uid), version.documentId), version);
  }

  #withVersion(type: EntryType, rows: readonly number[], version: EntryVersion): number | undefined {
    const key = versionKey(version);
    return rows.find((row) => versionKey(this.#versionOf(type, row)) === key);
  }

  #versionOf({ uid }: EntryType, row: number): RowVersion {
    return storedVersion(this.#store, uid, row);
  }

  #plannedOf({ uid }: EntryType, documentId: string): Map<string, PlannedEntry> {
    return mapAt(this.#documents, `${uid} ${documentId}`, () => new Map());
  }
}

function statusOf(published: boolean): string {
  return published ? 'published' : 'draft';
}

function describeAbsent({ singularName }: EntryType, documentId: string, only: string): string {
  return `no ${singularName} with documentId ${preview(documentId)}${only && ` (${only})`}`;
}

function rowVersionOf({ documentId, published, locale }: EntryVersion): RowVersion {
  return { documentId, published, locale };
}
