// The changes between two random snapshots lead from the content of the first to that of the second.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyBatchInSteps } from '../../src/changes/batch/apply-batch.ts';
import type { Batch } from '../../src/changes/batch/batch.ts';
import type { Change } from '../../src/changes/batch/json-change.ts';
import { prepareChangesInSteps } from '../../src/changes/batch/prepare-changes.ts';
import { componentAttributes, relationAttributes } from '../../src/changes/batch/stored-components.ts';
import { idOfRow, storedLinks } from '../../src/changes/batch/stored-links.ts';
import { storedVersion } from '../../src/changes/stale/changed-rows.ts';
import { Problems } from '../../src/core/problems.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import type { EntryType } from '../../src/model/schema/schema.ts';
import { deltaRowOf } from '../../src/store/overlay/delta.ts';
import { rowOfId, type Segment } from '../../src/store/segment.ts';
import { type Store, segmentOf } from '../../src/store/store.ts';
import { caseCount } from '../support/cases.ts';
import { load, optionsOf } from './content.ts';
import { type Entries, EntrySequences } from './random-entries.ts';

const uids: Record<string, string> = {
  author: 'api::author.author',
  badge: 'api::badge.badge',
  file: 'plugin::upload.file',
  home: 'api::home.home',
  article: 'api::article.article',
};

interface Version {
  readonly documentId: string;
  readonly locale?: string;
  readonly status?: 'draft' | 'published';
}

const keyOf = (name: string, { documentId, locale, status }: Version) =>
  `${uids[name]} ${documentId} ${locale ?? null} ${status !== 'draft'}`;

/** Returns the entries by version. */
function versionsOf(entries: Entries): Map<string, { name: string; entry: Entries[string][number] }> {
  const versions = Object.entries(entries).flatMap(([name, list]) =>
    list.map((entry) => [keyOf(name, entry as Version), { name, entry }] as const),
  );
  return new Map(versions);
}

/** Returns the versions of each document, as text. */
function documentsOf(entries: Entries): Map<string, string> {
  const documents = new Map<string, string>();
  for (const [key, { entry }] of versionsOf(entries)) {
    documents.set(entry.documentId, `${documents.get(entry.documentId) ?? ''}${key};`);
  }
  return documents;
}

/**
 * Returns the changes from some entries to others. Entries that refer to documents with other versions are among them,
 * because a change of a document alone does not link others to its new versions.
 */
function changesBetween(before: Entries, after: Entries): { changes: Change[]; keys: string[] } {
  const [old, next] = [versionsOf(before), versionsOf(after)];
  const [oldDocuments, nextDocuments] = [documentsOf(before), documentsOf(after)];
  const moved = [...nextDocuments].flatMap(([id, versions]) => (oldDocuments.get(id) === versions ? [] : [`"${id}"`]));
  const changes: Change[] = [];
  const keys: string[] = [];
  for (const [key, { name, entry }] of old) {
    if (next.has(key)) continue;
    const { documentId, locale, status } = entry as Version;
    changes.push({ delete: uids[name], documentId, ...(locale ? { locale } : {}), ...(status ? { status } : {}) });
    keys.push(key);
  }
  for (const [key, { name, entry }] of next) {
    const text = JSON.stringify(entry);
    if (JSON.stringify(old.get(key)?.entry) === text && !moved.some((id) => text.includes(id))) continue;
    changes.push({ upsert: uids[name], entry });
    keys.push(key);
  }
  return { changes, keys };
}

/** Returns the entries of a store by version, without ids. */
function contentOf(store: Store): Map<string, unknown> {
  const content = new Map<string, unknown>();
  for (const segment of store.segments) {
    const { type } = segment.collection;
    if (!Object.values(uids).includes(type.uid)) continue;
    for (const row of liveRows(segment)) content.set(nameOf(store, type.uid, row), valuesOf(store, type, row));
  }
  return new Map([...content].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function liveRows(segment: Segment): number[] {
  return Array.from({ length: segment.rowCount }, (_, row) => row).filter((row) => segment.isLive(row));
}

function nameOf(store: Store, uid: string, row: number): string {
  const { documentId, locale, published } = storedVersion(store, uid, row);
  return `${uid} ${documentId} ${locale} ${published}`;
}

function valuesOf(store: Store, type: EntryType, row: number): unknown {
  const segment = segmentOf(store, type.uid);
  const { delta, changed, collection } = segment;
  const isChanged = delta && changed?.has(row);
  const json = isChanged ? delta.jsonRows[deltaRowOf(delta, row)] : collection.jsonRows;
  const values = json.names
    .filter((name) => name !== 'id')
    .map((name) => [name, json.value(isChanged ? 0 : row, name)]);
  const rowOf = (uid: string, id: number) => rowOfId(segmentOf(store, uid), id)!;
  const components = componentAttributes(store.schema, type).map((attribute) => [
    attribute.name,
    storedLinks(store, type, attribute, row).map(({ type: uid, id, position }) => [
      uid,
      position,
      valuesOf(store, store.schema.type(uid), rowOf(uid, id)),
    ]),
  ]);
  const relations = relationAttributes(store.schema, type).map((attribute) => [
    attribute.name,
    storedLinks(store, type, attribute, row)
      .map((link) => `${link.position} ${nameOf(store, link.type, rowOf(link.type, link.id))}`)
      .sort(),
  ]);
  return Object.fromEntries([...values, ...components, ...relations]);
}

/** Returns the ids of all live rows by type. */
function idsOf(store: Store): Map<string, Set<number>> {
  return new Map(
    store.segments.map((segment) => [
      segment.collection.type.uid,
      new Set(liveRows(segment).map((row) => idOfRow(segment, row))),
    ]),
  );
}

/** Returns the ids of all entries by their names. */
function entryIds(store: Store): Map<string, number> {
  return new Map(
    store.segments.flatMap((segment) => {
      const { uid } = segment.collection.type;
      if (!Object.values(uids).includes(uid)) return [];
      return liveRows(segment).map((row) => [nameOf(store, uid, row), idOfRow(segment, row)] as const);
    }),
  );
}

/** Checks that rows keep their ids, and that new ones are above all before. `greatest` is updated. */
function checkIds(before: Store, after: Store, greatest: Map<string, number>): void {
  const known = idsOf(before);
  for (const [uid, ids] of known) greatest.set(uid, Math.max(greatest.get(uid) ?? 0, ...ids));
  for (const [uid, ids] of idsOf(after)) {
    for (const id of ids) if (!known.get(uid)!.has(id)) expect(id).toBeGreaterThan(greatest.get(uid)!);
  }
  const oldIds = entryIds(before);
  for (const [name, id] of entryIds(after)) expect([name, oldIds.get(name) ?? id]).toEqual([name, id]);
}

test('the changes from one snapshot to the next lead to its entries and links', async () => {
  const property = fc.asyncProperty(new EntrySequences(4), async ([first, ...others]) => {
    const loaded = await load({ entries: first });
    let [store, entries] = [loaded.store, first];
    const greatest = new Map<string, number>();
    for (const next of others) {
      const { changes, keys } = changesBetween(entries, next);
      const problems = new Problems('strict', 'batch');
      const { batch } = runAtOnce(prepareChangesInSteps(store, changes, problems, optionsOf(loaded)));
      expect(batch.entities).toHaveLength(keys.length);
      const after = runAtOnce(
        applyBatchInSteps(store, JSON.parse(JSON.stringify(batch)) as Batch, problems, optionsOf(loaded)),
      ).store;
      expect(contentOf(after)).toEqual(contentOf((await load({ entries: next })).store));
      checkIds(store, after, greatest);
      [store, entries] = [after, next];
    }
  });
  await fc.assert(property, { seed: 20261122, numRuns: caseCount(100, 10) });
});
