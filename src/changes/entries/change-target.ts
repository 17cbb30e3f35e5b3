import { isPlainObject } from '../../core/plain-object.ts';
import { Problems } from '../../core/problems.ts';
import { EntryVersions } from '../../load/json/entry-version.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { type EntryType, roleType } from '../../model/schema/schema.ts';
import { rowsOfDocument } from '../../store/rows-of-document.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import { storedVersion } from '../batch/changed-rows.ts';
import { entryNamedBy } from '../batch/json-change.ts';
import type { EntryKey } from '../diff/differences.ts';

/** The entries of a document that a change concerns. */
export interface ChangeTarget {
  readonly type: EntryType;
  readonly documentId: string;
  /** Undefined: the entries of every locale. Null for a type without locales. */
  readonly locale: string | null | undefined;
  /** Undefined: published entries and drafts. */
  readonly published: boolean | undefined;
}

/** Reads which entries the changes of a list concern. */
export class ChangeTargets {
  readonly #content: LoadedSnapshot;

  constructor(content: LoadedSnapshot) {
    this.#content = content;
  }

  /** Returns null for a value that is no change, or whose type, locale or status does not exist. */
  of(change: unknown): ChangeTarget | null {
    if (!isPlainObject(change)) return null;
    const uid = change.upsert ?? change.patch ?? change.delete;
    const { store, kind, tolerance } = this.#content;
    const type = typeof uid === 'string' ? store.schema.types.get(uid) : undefined;
    if (!type || type.kind === 'component') return null;
    if (kind === 'json' && type.uid === roleType) return targetOfRole(type, change);
    const problems = new Problems(tolerance, 'batch');
    const versions = new EntryVersions(problems, store.defaultLocale, store.locales);
    if ('delete' in change) return targetOfDeletion(type, change, versions, problems);
    const at = () => '';
    const read = versions.read(type, entryNamedBy(type, change as never), { unnamed: at, named: at });
    if (!read || problems.count > 0) return null;
    const { documentId, locale, published } = read;
    return { type, documentId, locale, published };
  }
}

/** A JSON snapshot names a role by its type. */
function targetOfRole(type: EntryType, change: Record<string, unknown>): ChangeTarget | null {
  const documentId = isPlainObject(change.entry) ? change.entry.type : change.documentId;
  return typeof documentId === 'string' ? { type, documentId, locale: null, published: true } : null;
}

function targetOfDeletion(
  type: EntryType,
  { documentId, locale, status }: Record<string, unknown>,
  versions: EntryVersions,
  problems: Problems,
): ChangeTarget | null {
  if (typeof documentId !== 'string') return null;
  const onlyLocale = locale === undefined ? undefined : versions.localeOf(type, locale, '');
  const published = status === undefined ? undefined : versions.isPublishedStatus(type, status, '');
  return problems.count > 0 ? null : { type, documentId, locale: onlyLocale, published };
}

/** Whether a change concerns an entry. */
export function concerns({ type, documentId, locale, published }: ChangeTarget, key: EntryKey): boolean {
  return (
    key.type === type.uid &&
    key.documentId === documentId &&
    (locale === undefined || key.locale === locale) &&
    (published === undefined || (key.status ?? 'published') === (published ? 'published' : 'draft'))
  );
}

/** Returns the entries of a store that a change concerns, each with its row. */
export function entriesOfTarget(store: Store, target: ChangeTarget): { key: EntryKey; row: number }[] {
  const { type, documentId } = target;
  return rowsOfDocument(segmentOf(store, type.uid), documentId).flatMap((row) => {
    const key = keyOf(type, storedVersion(store, type.uid, row));
    return concerns(target, key) ? [{ key, row }] : [];
  });
}

/** Returns the entry that an upsert or patch concerns; null for a deletion that may concern several. */
export function onlyEntryOf({ type, documentId, locale, published }: ChangeTarget): EntryKey | null {
  if (locale === undefined || published === undefined) return null;
  return keyOf(type, { documentId, locale, published });
}

/** Returns the row of an entry in a store. */
export function rowOfEntry(store: Store, { type: uid, documentId, locale, status }: EntryKey): number | undefined {
  if (!store.byUid.has(uid) || documentId === null) return undefined;
  return rowsOfDocument(segmentOf(store, uid), documentId).find((row) => {
    const version = storedVersion(store, uid, row);
    return version.locale === locale && version.published === (status !== 'draft');
  });
}

function keyOf(
  type: EntryType,
  { documentId, locale, published }: { documentId: string | null; locale: string | null; published: boolean },
): EntryKey {
  const status = type.draftAndPublish ? (published ? 'published' : 'draft') : null;
  return { type: type.uid, documentId, id: null, locale, status };
}
