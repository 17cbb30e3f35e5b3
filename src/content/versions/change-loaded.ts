import { accessAfter, type ChangedAccess } from '../../changes/batch/access-changes.ts';
import { type AppliedBatch, applyBatchInSteps } from '../../changes/batch/apply-batch.ts';
import type { Batch } from '../../changes/batch/batch.ts';
import type { BatchOptions } from '../../changes/batch/batch-options.ts';
import { type CheckedBatch, type CheckedChanges, checkBatchInSteps } from '../../changes/batch/check-batch.ts';
import { checkChangesInSteps } from '../../changes/batch/check-changes.ts';
import type { Unlinked } from '../../changes/batch/unlinked.ts';
import { Problems } from '../../core/problems.ts';
import type { Steps } from '../../core/steps.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { UploadedFiles } from '../../load/uploaded-files.ts';
import type { Settings } from '../../model/settings/config.ts';

/** The settings that decide about changes. */
export type ChangeSettings = Pick<Settings, 'drafts' | 'users'>;

/** Returns the loaded snapshot after a batch. Throws a SnapshotError that lists the errors of the batch. */
export function* changeLoadedInSteps(
  before: LoadedSnapshot,
  batch: Batch,
  settings: ChangeSettings,
): Steps<LoadedSnapshot> {
  const { changes } = yield* checkInSteps(before, batch, settings);
  return (yield* applyCheckedInSteps(before, changes)).loaded;
}

/**
 * Returns the loaded snapshot after a list of changes in JSON, and the references that made no link. `at` is the time of
 * changes that have none, by default now. Throws as `changeLoadedInSteps` does, and a RequestError for a condition that is
 * not met.
 */
export function* changeLoadedByJsonInSteps(
  before: LoadedSnapshot,
  changes: unknown,
  settings: Settings,
  at?: string,
): Steps<{ loaded: LoadedSnapshot; unlinked: Unlinked }> {
  const checked = yield* checkJsonInSteps(before, changes, settings, at);
  const { loaded } = yield* applyCheckedInSteps(before, checked.changes);
  return { loaded, unlinked: checked.unlinked };
}

/** Returns the files of a snapshot that was loaded again, with the names that changes have added to those before. */
export function filesAfterChanges(files: UploadedFiles | null, before: UploadedFiles | null): UploadedFiles | null {
  return files && before ? withNames(files, before.names) : files;
}

/** Returns what the changes of a batch are validated against, besides the store. */
function batchOptions(loaded: LoadedSnapshot, { drafts, users }: ChangeSettings): BatchOptions {
  const { kind, dialect, addresses } = loaded;
  return { kind, dialect, addresses, drafts, users, ...accessIn(loaded) };
}

function accessIn({ roles, blockedUsers, uploadedFiles }: LoadedSnapshot): ChangedAccess {
  return { roles, blockedUsers, uploadNames: uploadedFiles?.names ?? null };
}

/** Returns what a batch changes. Throws a SnapshotError that lists the errors of the batch. */
export function checkInSteps(loaded: LoadedSnapshot, batch: Batch, settings: ChangeSettings): Steps<CheckedBatch> {
  const problems = new Problems(loaded.tolerance, 'batch');
  return checkBatchInSteps(loaded.store, batch, problems, batchOptions(loaded, settings));
}

/** As `checkInSteps`, for a list of changes in JSON. */
export function checkJsonInSteps(
  loaded: LoadedSnapshot,
  changes: unknown,
  settings: Settings,
  now?: string,
): Steps<CheckedBatch> {
  const problems = new Problems(loaded.tolerance, 'batch');
  return checkChangesInSteps(loaded.store, changes, problems, { ...batchOptions(loaded, settings), now });
}

interface AppliedChanges extends Pick<AppliedBatch, 'upserted'> {
  readonly loaded: LoadedSnapshot;
}

/** Returns the snapshot after changes that were checked for its content. */
export function* applyCheckedInSteps(before: LoadedSnapshot, changes: CheckedChanges): Steps<AppliedChanges> {
  const { store, upserted } = yield* applyBatchInSteps(before.store, changes);
  const { roles, blockedUsers, uploadNames } = accessAfter(accessIn(before), changes.access);
  const uploadedFiles = before.uploadedFiles && withNames(before.uploadedFiles, uploadNames);
  return { loaded: { ...before, store, roles, blockedUsers, uploadedFiles }, upserted };
}

/** Only a folder can hold files that were added since the snapshot was loaded. */
function withNames(files: UploadedFiles, names: ReadonlySet<string> | null): UploadedFiles {
  return files.kind === 'folder' ? { ...files, names } : files;
}
