/** Checks a batch by the rules of a snapshot, and builds the rows that it adds and replaces. */
import { type Problems, preview } from '../../core/problems.ts';
import type { Steps } from '../../core/steps.ts';
import { EntryWriter } from '../../load/entry-writer.ts';
import { isLeftOut } from '../../load/loaded.ts';
import { completeValues } from '../../load/strapi/strapi-content.ts';
import { type EntryType, isAdministration, localeType } from '../../model/schema/schema.ts';
import { type BatchRows, batchRowsOf } from '../../store/overlay/batch-rows.ts';
import { rowOfId } from '../../store/segment.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import { allocateAtInSteps } from '../../store/writer/allocation-errors.ts';
import { type AccessChanges, accessChanges } from './access-changes.ts';
import { type Batch, type BatchLinks, describeWrongType } from './batch.ts';
import type { BatchOptions } from './batch-options.ts';
import { ChangedRows, storedVersion } from './changed-rows.ts';
import { checkChangedDocumentsInSteps, checkOwnersInSteps, checkVersionsInSteps } from './check-documents.ts';
import { type EntryNode, treeSink } from './entry-tree.ts';
import { readLinksInSteps } from './read-links.ts';
import { RowBuilders } from './row-builders.ts';
import { areSameLinks, componentAttributes, storedLinks } from './stored-links.ts';
import type { Unlinked } from './unlinked.ts';

/**
 * What a valid batch changes. Names rows by id, so it holds for every store with the content that the batch was checked
 * for. Plain data, which can be sent to another thread.
 */
export interface CheckedChanges {
  readonly access: AccessChanges;
  /** By uid: the rows that replace the live ones with their ids, and those that are new. */
  readonly built: ReadonlyMap<string, BatchRows>;
  /** By uid: the ids of the live rows that die. None of them is in `built`. */
  readonly deleted: ReadonlyMap<string, ReadonlySet<number>>;
  /**
   * The lists of links that change, each whole: those of the batch, and the components of the entries in it. Their rows
   * and targets live after the batch. A new row without a list has no links. A list of a row that dies is not among
   * them.
   */
  readonly links: readonly BatchLinks[];
}

/** A valid batch. */
export interface CheckedBatch {
  readonly batch: Batch;
  readonly changes: CheckedChanges;
  /** Only changes in JSON have references without a link. */
  readonly unlinked: Unlinked;
}

/** The entries of a batch in the form in which they are checked. */
export interface BatchEntries {
  /** Each with the row that it replaces. */
  readonly written: readonly (readonly [entry: EntryNode, row: number | undefined])[];
  readonly deleted: readonly { readonly type: EntryType; readonly id: number; readonly row: number }[];
  /** The blocked users and the names of uploaded files among them. */
  readonly names: Pick<EntryWriter<unknown>, 'blockedUsers' | 'uploadNames'>;
  /** Valid lists of links that differ from the lists in the store. Null: check the lists of the batch. */
  readonly resolved: readonly BatchLinks[] | null;
}

/**
 * Returns what a batch changes in a store. Mistakes that Strapi accepts are warnings if `problems` is tolerant. Links
 * to entries that do not exist are always errors. Throws a SnapshotError that lists all errors. Takes a time linear in
 * the batch and in the links that it replaces.
 */
export function* checkBatchInSteps(
  store: Store,
  batch: Batch,
  problems: Problems,
  options: BatchOptions,
): Steps<CheckedBatch> {
  const entries = yield* readEntriesInSteps(store, batch, problems);
  return yield* checkEntriesInSteps(store, batch, entries, problems, options);
}

function* readEntriesInSteps(store: Store, { entities }: Batch, problems: Problems): Steps<BatchEntries> {
  const { schema } = store;
  const entryWriter = new EntryWriter(treeSink(schema), problems);
  const written: [EntryNode, number | undefined][] = [];
  const deleted: BatchEntries['deleted'][number][] = [];
  const seen = new Set<string>();
  for (const [i, { type: uid, id, data, published }] of entities.entries()) {
    yield;
    const location = `entities[${i}], ${uid} ${id}`;
    const type = schema.types.get(uid);
    if (!type || type.kind === 'component' || isAdministration(uid)) {
      problems.add(location, describeWrongType(schema, uid));
      continue;
    }
    const key = `${uid} ${id}`;
    if (seen.has(key)) problems.add(location, `the batch names ${key} twice`);
    if (seen.has(key)) continue;
    seen.add(key);
    const row = rowOfId(segmentOf(store, uid), id);
    if (data === null) {
      if (row === undefined) problems.add(location, `no ${type.singularName} with id ${id}`);
      else deleted.push({ type, id, row });
      continue;
    }
    const values: Record<string, unknown> = { ...data, id };
    const isPublished = completeValues(type, values, location, problems);
    if (row !== undefined) {
      const { documentId } = storedVersion(store, uid, row);
      if (documentId !== values.documentId) {
        const message = `the entry belongs to document ${preview(documentId)}, not ${preview(values.documentId)}`;
        problems.add(location, message);
      }
    }
    written.push([entryWriter.add(type, values, published ?? isPublished, location), row]);
  }
  return { written, deleted, names: entryWriter, resolved: null };
}

/** Checks a batch, given its entries. */
export function* checkEntriesInSteps(
  store: Store,
  batch: Batch,
  { written, deleted, names, resolved }: BatchEntries,
  problems: Problems,
  options: BatchOptions,
): Steps<CheckedBatch> {
  const rows = new ChangedRows(store);
  const writer = new RowBuilders(rows, problems, options);
  for (const [entry, row] of written) {
    if (isLeftOut(entry.type.uid, options)) problems.add(entry.location, leftOut);
    writer.write(entry, row);
    yield;
  }
  for (const { type, id, row } of deleted) {
    writer.delete(type, id, row);
    yield;
  }
  writer.finishComponents();
  problems.throwIfAny();
  const links = resolved ?? (yield* readLinksInSteps(rows, batch.links, problems));
  yield* checkChangedDocumentsInSteps(rows, problems);
  if (options.kind === 'json') yield* checkVersionsInSteps(rows, localesAfter(store, batch), problems);
  yield* checkOwnersInSteps(rows, links, problems);
  const access = accessChanges(rows, batch, names, links, problems, options);
  problems.throwIfAny();
  const built = new Map<string, BatchRows>();
  for (const [uid, builder] of writer.builders) {
    built.set(uid, batchRowsOf(yield* allocateAtInSteps(uid, builder.finishInSteps())));
  }
  const changes = { access, built, deleted: rows.deleted, links: [...componentLists(rows), ...links] };
  return { batch, changes, unlinked: { count: 0, references: [] } };
}

const leftOut = 'users are left out of this content, by the setting users: false';

/** The locales of a store, and those that a batch adds. */
function localesAfter({ locales }: Store, { entities }: Batch): Set<unknown> {
  const added = entities.flatMap(({ type, data }) => (type === localeType && data ? [data.code] : []));
  return new Set([...locales, ...added]);
}

/** Returns the lists of components that a batch changes. */
function componentLists({ store, written }: ChangedRows): BatchLinks[] {
  return Array.from(written.values()).flatMap((rows) =>
    Array.from(rows.values()).flatMap(({ type, id, replaces, components }) =>
      componentAttributes(store.schema, type).flatMap((attribute) => {
        const { name } = attribute;
        const targets = components.get(name) ?? [];
        const before = replaces === undefined ? [] : storedLinks(store, type, attribute, replaces);
        return areSameLinks(before, targets) ? [] : [{ type: type.uid, id, attribute: name, targets }];
      }),
    ),
  );
}
