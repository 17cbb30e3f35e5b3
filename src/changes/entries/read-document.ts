import { NotFoundError, ValidationError } from '../../core/errors.ts';
import { preview } from '../../core/problems.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { type EntryType, isAdministration } from '../../model/schema/schema.ts';
import { rowsOfDocument } from '../../store/rows-of-document.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import { describeWrongType } from '../batch/batch.ts';
import { type RowVersion, storedVersion } from '../batch/changed-rows.ts';
import { WrittenEntries, type WrittenValues } from './written-entries.ts';

/** Which entries of a document are read. Null: of every locale, or of every status. */
export interface ReadVersions {
  readonly locale: string | null;
  readonly status: string | null;
}

/**
 * Returns the entries of a document, in the order of their ids, as an upsert takes them. Throws a RequestError if there are
 * none.
 */
export function readDocument(
  loaded: LoadedSnapshot,
  uid: string,
  documentId: string,
  { locale, status }: ReadVersions,
): WrittenValues[] {
  const { store } = loaded;
  const type = store.schema.types.get(uid);
  if (!type || type.kind === 'component' || isAdministration(uid)) {
    throw new NotFoundError(describeWrongType(store.schema, uid));
  }
  if (status !== null && status !== 'draft' && status !== 'published') {
    throw new ValidationError(`query: status must be draft or published, is ${preview(status)}`);
  }
  if (locale !== null && !type.localized) throw new ValidationError(`query: locale needs a localized type, not ${uid}`);
  if (status !== null && !type.draftAndPublish) {
    throw new ValidationError(`query: status needs a type with drafts, not ${uid}`);
  }
  const rows = rowsOfDocument(segmentOf(store, uid), documentId);
  const found = rows.filter((row) => {
    const version = storedVersion(store, uid, row);
    return (locale ?? version.locale) === version.locale && (status ?? statusOf(version)) === statusOf(version);
  });
  if (found.length === 0) throw new NotFoundError(describeAbsent(store, type, documentId, rows, [locale, status]));
  const written = new WrittenEntries(store, loaded);
  return found.map((row) => written.entry(type, row));
}

function statusOf({ published }: RowVersion): 'draft' | 'published' {
  return published ? 'published' : 'draft';
}

function describeAbsent(
  store: Store,
  type: EntryType,
  documentId: string,
  rows: readonly number[],
  given: readonly (string | null)[],
): string {
  const only = given.filter((part) => part !== null).join(', ');
  const text = `There is no ${type.singularName} with documentId ${preview(documentId)}${only && ` (${only})`}`;
  if (rows.length === 0) return text;
  const known = rows.map((row) => {
    const version = storedVersion(store, type.uid, row);
    return [version.locale, type.draftAndPublish && statusOf(version)].filter((part) => part).join(' ');
  });
  return `${text}. It has ${known.join(', ')}`;
}
