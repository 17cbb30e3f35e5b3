/** Validates a batch as a snapshot is validated, and builds the rows that it adds and replaces. */
import type { Problems } from '../../core/problems.ts';
import type { Steps } from '../../core/steps.ts';
import { localeType } from '../../model/schema/schema.ts';
import type { Store } from '../../store/store.ts';
import { allocateAtInSteps } from '../../store/writer/allocation-errors.ts';
import type { BuiltRows } from '../../store/writer/collection-builder.ts';
import { ChangedRows } from '../stale/changed-rows.ts';
import { type AccessChanges, accessAfter } from './access-changes.ts';
import type { Batch, BatchLinks } from './batch.ts';
import type { BatchOptions } from './batch-options.ts';
import { checkChangedDocumentsInSteps, checkOwnersInSteps, checkVersionsInSteps } from './check-documents.ts';
import { EntityWriter } from './entity-writer.ts';
import { readLinksInSteps } from './read-links.ts';
import { componentAttributes } from './stored-components.ts';
import { areSameLinks, storedLinks } from './stored-links.ts';

/** A valid batch. */
export interface BuiltBatch extends AccessChanges {
  /** By uid: the rows that replace the live ones with their ids, and those that are new. */
  readonly built: ReadonlyMap<string, BuiltRows>;
  /** By uid: the ids of the live rows that die. None of them is in `built`. */
  readonly deleted: ReadonlyMap<string, ReadonlySet<number>>;
  /**
   * The lists of links that change, each whole: those of the batch, and the components of the entries in it. Their rows
   * and targets live after the batch. A new row without a list has no links. A list of a row that dies is not among them.
   */
  readonly links: readonly BatchLinks[];
}

/**
 * Returns what a batch changes in a store. Mistakes that Strapi accepts are warnings if `problems` is tolerant. Links to
 * entries that do not exist are always errors. Throws a SnapshotError that lists all errors. Takes a time linear in the
 * batch and in the links that it replaces.
 */
export function* buildBatchInSteps(
  store: Store,
  batch: Batch,
  problems: Problems,
  options: BatchOptions,
): Steps<BuiltBatch> {
  const { locationOf = (i) => `entities[${i}], ${batch.entities[i].type} ${batch.entities[i].id}` } = options;
  const rows = new ChangedRows(store);
  const writer = new EntityWriter(rows, problems, options);
  for (const [i, entity] of batch.entities.entries()) {
    writer.add(entity, locationOf(i));
    yield;
  }
  writer.finishComponents();
  problems.throwIfAny();
  const links = yield* readLinksInSteps(rows, batch.links, problems);
  yield* checkChangedDocumentsInSteps(rows, problems);
  if (options.kind === 'json') yield* checkVersionsInSteps(rows, localesAfter(store, batch), problems);
  yield* checkOwnersInSteps(rows, links, problems);
  const access = accessAfter(rows, batch, writer.names, links, problems, options);
  problems.throwIfAny();
  const built = new Map<string, BuiltRows>();
  for (const [uid, builder] of writer.builders) {
    built.set(uid, yield* allocateAtInSteps(uid, builder.finishInSteps()));
  }
  return {
    built,
    deleted: rows.deleted,
    links: [...componentLists(rows), ...links],
    ...access,
  };
}

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
