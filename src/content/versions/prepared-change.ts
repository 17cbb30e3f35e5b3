import { type AppliedBatch, applyBatchInSteps } from '../../changes/batch/apply-batch.ts';
import { type Batch, readBatchInSteps } from '../../changes/batch/batch.ts';
import type { Unlinked } from '../../changes/batch/unlinked.ts';
import { staleTagsInSteps } from '../../changes/stale/stale-tags.ts';
import { Problems } from '../../core/problems.ts';
import type { Steps } from '../../core/steps.ts';
import { readAdditions } from '../../engine/additions/additions.ts';
import { Catalog } from '../../engine/catalog.ts';
import type { StoreAccess } from '../../engine/store-access.ts';
import { StoreEngine } from '../../engine/store-engine.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { Settings } from '../../model/settings/config.ts';
import { nextVersion } from '../../store/content-version.ts';
import { showDraftsInSteps } from '../../store/drafts/show-drafts.ts';
import { replacedBytes } from '../../store/own-bytes.ts';
import type { Store } from '../../store/store.ts';
import type { Tag } from '../../store/tags/tags.ts';
import { type ActiveSnapshot, accessOf, type ContentConfiguration, rolesOf } from './active-snapshot.ts';
import type { StaleParts } from './change-feed.ts';
import { applyJsonInSteps, batchOptions, loadedAfter } from './change-loaded.ts';
import { summarizeStore } from './summary.ts';

/** A batch that is valid for a snapshot, with what it leads to. */
export interface PreparedChange {
  readonly from: ActiveSnapshot;
  readonly batch: Batch;
  readonly unlinked: Unlinked;
  readonly loaded: LoadedSnapshot;
  readonly access: StoreAccess;
  readonly catalog: Catalog;
  /** The store as requests read it. */
  readonly served: Store;
  /** Bytes of the store before that the one after it does not share. */
  readonly replacedBytes: number;
  /** The tags of what differs. */
  readonly stale: ReadonlySet<Tag> | null;
}

/** Validates a value as a batch. Changes nothing. Throws a SnapshotError that lists the errors of the batch. */
export function* prepareBatchInSteps(
  active: ActiveSnapshot,
  value: unknown,
  configuration: ContentConfiguration,
): Steps<PreparedChange> {
  const problems = new Problems(active.loaded.tolerance, 'batch');
  const batch = yield* readBatchInSteps(value, problems);
  if (!batch) problems.throwIfAny();
  return yield* prepareReadBatchInSteps(active, batch!, configuration);
}

/** As `prepareBatchInSteps`, for what `readBatchInSteps` has returned. */
export function* prepareReadBatchInSteps(
  active: ActiveSnapshot,
  batch: Batch,
  configuration: ContentConfiguration,
): Steps<PreparedChange> {
  const problems = new Problems(active.loaded.tolerance, 'batch');
  const options = batchOptions(active.loaded, configuration.settings);
  const applied = yield* applyBatchInSteps(active.loaded.store, batch, problems, options);
  return yield* preparedChangeInSteps(active, batch, applied, configuration);
}

/** As `prepareBatchInSteps`, for a list of changes in JSON. */
export function* prepareJsonInSteps(
  active: ActiveSnapshot,
  changes: unknown,
  configuration: ContentConfiguration,
): Steps<PreparedChange> {
  const { batch, applied, unlinked } = yield* applyJsonInSteps(active.loaded, changes, configuration.settings);
  return { ...(yield* preparedChangeInSteps(active, batch, applied, configuration)), unlinked };
}

function* preparedChangeInSteps(
  active: ActiveSnapshot,
  batch: Batch,
  applied: AppliedBatch,
  { settings, sourceOf, extension }: ContentConfiguration,
): Steps<PreparedChange> {
  const { loaded: before, engine } = active;
  const loaded = loadedAfter(before, applied);
  const { store, dialect } = loaded;
  const { roles, credentials } = engine.access;
  const newAccess = accessOf(loaded, loaded.roles === before.roles ? roles : rolesOf(loaded, settings), credentials);
  const catalog = engine.catalog.serves(store, dialect)
    ? engine.catalog
    : new Catalog(store, dialect, settings, readAdditions(settings, sourceOf, dialect, extension));
  const earlier = { store: before.store, shown: engine.store };
  const served = settings.drafts ? yield* showDraftsInSteps(store, earlier) : store;
  const stale = yield* staleTagsInSteps(engine.store, served, applied.upserted);
  // only lists of changes have references without a link
  const unlinked = { count: 0, references: [] };
  const replaced = replacedBytes(before.store, store);
  return { from: active, batch, unlinked, loaded, access: newAccess, catalog, served, replacedBytes: replaced, stale };
}

/** A snapshot after a batch of changes. */
export interface ChangedSnapshot {
  readonly active: ActiveSnapshot;
  /** What the batch made stale; null if every reply may differ. */
  readonly stale: StaleParts | null;
}

/**
 * Returns the snapshot after a change. It takes over what the engine of the snapshot before remembers: serve that one no
 * longer.
 */
export function commitChange(
  { from, loaded, access, catalog, served: store, stale }: PreparedChange,
  settings: Settings,
): ChangedSnapshot {
  const { engine, summary } = from;
  const { types } = loaded;
  const isServed = catalog === engine.catalog;
  const next = isServed
    ? engine.change(store, access, stale)
    : new StoreEngine(catalog, { store, version: nextVersion(engine.version), types, access }, settings);
  const hasSameRoles = loaded.roles === from.loaded.roles;
  return {
    active: { ...from, loaded, engine: next, summary: { ...summary, ...summarizeStore(store, catalog) } },
    stale: isServed && hasSameRoles && stale ? { before: engine.store, after: store, tags: stale } : null,
  };
}
