/** The checks of load/build-store.ts, restricted to the documents that a batch touches. */

import { mapAt } from '../../core/map-at.ts';
import { type Problems, preview } from '../../core/problems.ts';
import type { Steps } from '../../core/steps.ts';
import { isOneToOne, reportSeveralDocuments, reportSeveralOwners } from '../../load/build-store.ts';
import type { EntryType, RelationAttribute } from '../../model/schema/schema.ts';
import { rowOfId } from '../../store/segment.ts';
import { segmentOf } from '../../store/store.ts';
import { maximumEntries } from '../../store/writer/links/document-links.ts';
import type { BatchLinks } from './batch.ts';
import { type ChangedRows, storedVersion, versionKey, type WrittenRow } from './changed-rows.ts';
import { idOfRow, storedLinks, storedSources } from './stored-links.ts';

/** Reports documents that get too many entries, and single types that get several documents. */
export function* checkChangedDocumentsInSteps(rows: ChangedRows, problems: Problems): Steps<void> {
  for (const written of rows.written.values()) {
    const added = Array.from(written.values()).filter(({ replaces }) => replaces === undefined);
    if (added.length === 0 || added[0].type.kind === 'component') continue;
    const [{ type }] = added;
    for (const documentId of documentIdsOf(added)) {
      yield;
      if (rows.idsOfDocument(type.uid, documentId).size <= maximumEntries) continue;
      problems.add(type.uid, `the document ${preview(documentId)} has more than ${maximumEntries} entries`);
    }
    if (type.kind !== 'singleType') continue;
    const documentIds = new Set([...keptDocuments(rows, type), ...documentIdsOf(written.values())]);
    if (documentIds.size <= 1) continue;
    reportSeveralDocuments(type, documentIds.size, documentIds.values().next().value, problems);
  }
}

/**
 * Reports what a JSON snapshot may not hold: unknown locales, and two entries of a document with one status and locale.
 */
export function* checkVersionsInSteps(
  rows: ChangedRows,
  locales: ReadonlySet<unknown>,
  problems: Problems,
): Steps<void> {
  for (const [uid, written] of rows.written) {
    for (const { version, location } of written.values()) {
      if (version.locale === null || locales.has(version.locale)) continue;
      const known = [...locales].join(', ');
      problems.add(location, `"locale" must be one of ${known}, not ${preview(version.locale)}`);
    }
    for (const documentId of documentIdsOf(written.values())) {
      yield;
      const seen = new Map<string, number>();
      for (const id of rows.idsOfDocument(uid, documentId)) {
        const key = versionKey(rows.versionOf(uid, id));
        const other = seen.get(key);
        seen.set(key, id);
        if (other === undefined) continue;
        const location = (written.get(id) ?? written.get(other))?.location ?? uid;
        const message = `a second entry of document ${preview(documentId)} with the same status and locale`;
        problems.add(location, message);
      }
    }
  }
}

function documentIdsOf(rows: Iterable<WrittenRow>): Set<string> {
  return new Set(Array.from(rows).flatMap(({ version: { documentId } }) => documentId ?? []));
}

/** Returns the documentIds of the rows that a batch does not delete, in the order of rows. */
function keptDocuments({ store, deleted }: ChangedRows, { uid }: EntryType): Set<string> {
  const segment = segmentOf(store, uid);
  const documentIds = new Set<string>();
  for (let row = 0; row < segment.rowCount; row++) {
    if (!segment.isLive(row) || deleted.get(uid)?.has(idOfRow(segment, row))) continue;
    const { documentId } = storedVersion(store, uid, row);
    if (documentId !== null) documentIds.add(documentId);
  }
  return documentIds;
}

/** Reports targets of one-to-one relations that several documents of one status and locale link to after the batch. */
export function* checkOwnersInSteps(rows: ChangedRows, lists: readonly BatchLinks[], problems: Problems): Steps<void> {
  const { schema } = rows.store;
  /** By attribute: the lists of the batch by the id of their row. */
  const replaced = new Map<RelationAttribute, Map<number, BatchLinks>>();
  for (const list of [...lists, ...listsOfMoved(rows)]) {
    const type = schema.type(list.type);
    const attribute = type.attributes.get(list.attribute)!;
    if (type.kind === 'component' || !isOneToOne(schema, attribute)) continue;
    const listOf = mapAt(replaced, attribute, () => new Map<number, BatchLinks>());
    // sources in the batch come first
    if (!listOf.has(list.id)) listOf.set(list.id, list);
  }
  for (const [attribute, listOf] of replaced) {
    const added = new Map<number, number[]>();
    for (const { id, targets } of listOf.values()) {
      for (const target of targets) mapAt(added, target.id, () => []).push(id);
    }
    const [{ type: uid }] = listOf.values();
    for (const [target, sources] of added) {
      yield;
      const kept = keptSources(rows, uid, attribute, target).filter((id) => !listOf.has(id));
      checkTarget(rows, schema.type(uid), attribute, target, [...kept, ...sources], problems);
    }
  }
}

/** The stored lists of the one-to-one attributes of entries that get another status or locale. */
function* listsOfMoved(changed: ChangedRows): Generator<BatchLinks> {
  const { store, written } = changed;
  for (const [uid, rows] of written) {
    const type = store.schema.type(uid);
    const attributes = [...type.attributes.values()].filter((attribute) => isOneToOne(store.schema, attribute));
    if (attributes.length === 0) continue;
    for (const { id, version, replaces } of rows.values()) {
      if (replaces === undefined) continue;
      const before = storedVersion(store, uid, replaces);
      if (version.published === before.published && version.locale === before.locale) continue;
      for (const attribute of attributes) {
        const targets = storedLinks(store, type, attribute, replaces).filter((target) =>
          changed.has(target.type, target.id),
        );
        yield { type: uid, id, attribute: attribute.name, targets };
      }
    }
  }
}

/** The ids of the rows that link to a target in the store and exist after the batch. */
function keptSources(rows: ChangedRows, uid: string, attribute: RelationAttribute, target: number): number[] {
  const { store } = rows;
  const row = rowOfId(segmentOf(store, attribute.target), target);
  if (row === undefined) return [];
  const segment = segmentOf(store, uid);
  const ids = Array.from(storedSources(store, uid, attribute, row), (source) => idOfRow(segment, source));
  return ids.filter((id) => rows.has(uid, id));
}

function checkTarget(
  rows: ChangedRows,
  type: EntryType,
  attribute: RelationAttribute,
  target: number,
  sources: readonly number[],
  problems: Problems,
): void {
  const [first, ...others] = sources.map((id) => rows.versionOf(type.uid, id));
  for (const other of others) {
    const isSameVersion = other.published === first.published && other.locale === first.locale;
    if (other.documentId === first.documentId || !isSameVersion) continue;
    const { documentId } = rows.versionOf(attribute.target, target);
    reportSeveralOwners(type, attribute, [first.documentId, other.documentId, documentId], problems);
  }
}
