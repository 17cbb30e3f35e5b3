import { type AppliedBatch, applyBatchInSteps } from '../../changes/batch/apply-batch.ts';
import { type Batch, readBatchInSteps } from '../../changes/batch/batch.ts';
import type { BatchOptions } from '../../changes/batch/batch-options.ts';
import { type CheckedBatch, checkBatchInSteps } from '../../changes/batch/check-batch.ts';
import { checkChangesInSteps } from '../../changes/batch/check-changes.ts';
import type { Unlinked } from '../../changes/batch/unlinked.ts';
import { staleTagsInSteps } from '../../changes/stale-tags.ts';
import { Problems } from '../../core/problems.ts';
import type { Steps } from '../../core/steps.ts';
import { readAdditions } from '../../engine/additions/additions.ts';
import { Catalog } from '../../engine/catalog.ts';
import type { StoreAccess } from '../../engine/store-access.ts';
import { StoreEngine } from '../../engine/store-engine.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { UploadedFiles } from '../../load/uploaded-files.ts';
import type { Settings } from '../../model/settings/config.ts';
import { nextVersion } from '../../store/content-version.ts';
import { replacedBytes } from '../../store/own-bytes.ts';
import type { Store } from '../../store/store.ts';
import type { Tag } from '../../store/tags/tags.ts';
import type { StaleParts } from './change-feed.ts';
import { summarizeStore } from './summary.ts';
import { accessOf, type ContentConfiguration, rolesOf, shownStoreInSteps, type Version } from './version.ts';

/** Returns the loaded snapshot after a batch. Throws a SnapshotError that lists the errors of the batch. */
export function* changeLoadedInSteps(before: LoadedSnapshot, batch: Batch, settings: Settings): Steps<LoadedSnapshot> {
  const checked = yield* checkInSteps(before, batch, settings);
  return loadedAfter(before, yield* applyBatchInSteps(before.store, checked));
}

/**
 * Returns the loaded snapshot after a list of changes in JSON, and the references that made no link. Throws as
 * `changeLoadedInSteps` does.
 */
export function* changeLoadedByJsonInSteps(
  before: LoadedSnapshot,
  changes: unknown,
  settings: Settings,
): Steps<{ loaded: LoadedSnapshot; unlinked: Unlinked }> {
  const checked = yield* checkJsonInSteps(before, changes, settings);
  return { loaded: loadedAfter(before, yield* applyBatchInSteps(before.store, checked)), unlinked: checked.unlinked };
}

/** Returns the files of a snapshot that was loaded again, with the names that changes have added to those before. */
export function filesAfterChanges(files: UploadedFiles | null, before: UploadedFiles | null): UploadedFiles | null {
  return files && before ? withNames(files, before.names) : files;
}

/** Returns what the changes of a batch are validated against, besides the store. */
function batchOptions(loaded: LoadedSnapshot, { drafts }: Settings): BatchOptions {
  const { kind, dialect, addresses, roles, blockedUsers, uploadedFiles } = loaded;
  return { kind, dialect, addresses, drafts, roles, blockedUsers, uploadNames: uploadedFiles?.names ?? null };
}

function checkInSteps(loaded: LoadedSnapshot, batch: Batch, settings: Settings): Steps<CheckedBatch> {
  const problems = new Problems(loaded.tolerance, 'batch');
  return checkBatchInSteps(loaded.store, batch, problems, batchOptions(loaded, settings));
}

function checkJsonInSteps(loaded: LoadedSnapshot, changes: unknown, settings: Settings): Steps<CheckedBatch> {
  const problems = new Problems(loaded.tolerance, 'batch');
  return checkChangesInSteps(loaded.store, changes, problems, batchOptions(loaded, settings));
}

/** Returns the snapshot that an applied batch leads to. */
function loadedAfter(before: LoadedSnapshot, { store, access }: AppliedBatch): LoadedSnapshot {
  const { uploadedFiles } = before;
  return {
    ...before,
    store,
    roles: access.roles,
    blockedUsers: access.blockedUsers,
    uploadedFiles: uploadedFiles && withNames(uploadedFiles, access.uploadNames),
  };
}

/** Only a folder can hold files that were added since the snapshot was loaded. */
function withNames(files: UploadedFiles, names: ReadonlySet<string> | null): UploadedFiles {
  return files.kind === 'folder' ? { ...files, names } : files;
}

/** A batch that is valid for a snapshot, with what it leads to. */
export interface PreparedChange {
  readonly from: Version;
  readonly batch: Batch;
  readonly unlinked: Unlinked;
  readonly loaded: LoadedSnapshot;
  readonly access: StoreAccess;
  readonly catalog: Catalog;
  /** The store as requests read it. */
  readonly shown: Store;
  /** Bytes of the store before that the one after it does not share. */
  readonly replacedBytes: number;
  /** The tags of what differs. */
  readonly stale: ReadonlySet<Tag> | null;
}

/** Validates a value as a batch. Changes nothing. Throws a SnapshotError that lists the errors of the batch. */
export function* prepareBatchInSteps(
  before: Version,
  value: unknown,
  configuration: ContentConfiguration,
): Steps<PreparedChange> {
  const problems = new Problems(before.loaded.tolerance, 'batch');
  const batch = yield* readBatchInSteps(value, problems);
  if (!batch) problems.throwIfAny();
  return yield* prepareReadBatchInSteps(before, batch!, configuration);
}

/** As `prepareBatchInSteps`, for what `readBatchInSteps` has returned. */
export function* prepareReadBatchInSteps(
  before: Version,
  batch: Batch,
  configuration: ContentConfiguration,
): Steps<PreparedChange> {
  const checked = yield* checkInSteps(before.loaded, batch, configuration.settings);
  return yield* preparedChangeInSteps(before, checked, configuration);
}

/** As `prepareBatchInSteps`, for a list of changes in JSON. */
export function* prepareJsonInSteps(
  before: Version,
  changes: unknown,
  configuration: ContentConfiguration,
): Steps<PreparedChange> {
  const checked = yield* checkJsonInSteps(before.loaded, changes, configuration.settings);
  return yield* preparedChangeInSteps(before, checked, configuration);
}

function* preparedChangeInSteps(
  from: Version,
  checked: CheckedBatch,
  { settings, sourceOf, extension }: ContentConfiguration,
): Steps<PreparedChange> {
  const { loaded: before, engine } = from;
  const { batch, unlinked } = checked;
  const applied = yield* applyBatchInSteps(before.store, checked);
  const loaded = loadedAfter(before, applied);
  const { store, dialect } = loaded;
  const { roles, credentials } = engine.access;
  const newAccess = accessOf(loaded, loaded.roles === before.roles ? roles : rolesOf(loaded, settings), credentials);
  const catalog = engine.catalog.serves(store, dialect)
    ? engine.catalog
    : new Catalog(store, dialect, settings, readAdditions(settings, sourceOf, dialect, extension));
  const earlier = { store: before.store, shown: engine.store };
  const shown = yield* shownStoreInSteps(store, settings, earlier);
  const stale = yield* staleTagsInSteps(engine.store, shown, applied.upserted);
  const replaced = replacedBytes(before.store, store);
  return { from, batch, unlinked, loaded, access: newAccess, catalog, shown, replacedBytes: replaced, stale };
}

/** A snapshot after a batch of changes. */
interface ChangedSnapshot {
  readonly after: Version;
  /** What the batch made stale; null if every reply may differ. */
  readonly stale: StaleParts | null;
}

/**
 * Returns the snapshot after a change. It takes over what the engine of the snapshot before remembers: serve that one no
 * longer.
 */
export function commitChange(
  { from, loaded, access, catalog, shown, stale }: PreparedChange,
  settings: Settings,
): ChangedSnapshot {
  const { engine, summary } = from;
  const { types } = loaded;
  const isServed = catalog === engine.catalog;
  const next = isServed
    ? engine.change(shown, access, stale)
    : new StoreEngine(catalog, { store: shown, version: nextVersion(engine.version), types, access }, settings);
  const hasSameRoles = loaded.roles === from.loaded.roles;
  return {
    after: { ...from, loaded, engine: next, summary: { ...summary, ...summarizeStore(shown, catalog) } },
    stale: isServed && hasSameRoles && stale ? { before: engine.store, after: shown, tags: stale } : null,
  };
}
