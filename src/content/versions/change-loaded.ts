import { type AppliedBatch, applyBatchInSteps, applyBuiltInSteps } from '../../changes/batch/apply-batch.ts';
import type { Batch } from '../../changes/batch/batch.ts';
import type { BatchOptions } from '../../changes/batch/batch-options.ts';
import { prepareChangesInSteps } from '../../changes/batch/prepare-changes.ts';
import type { Unlinked } from '../../changes/batch/unlinked.ts';
import { Problems } from '../../core/problems.ts';
import type { Steps } from '../../core/steps.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { UploadedFiles } from '../../load/uploaded-files.ts';
import type { Settings } from '../../model/settings/config.ts';

/** Returns the loaded snapshot after a batch. Throws a SnapshotError that lists the errors of the batch. */
export function* changeLoadedInSteps(before: LoadedSnapshot, batch: Batch, settings: Settings): Steps<LoadedSnapshot> {
  const problems = new Problems(before.tolerance, 'batch');
  return loadedAfter(before, yield* applyBatchInSteps(before.store, batch, problems, batchOptions(before, settings)));
}

/** Returns the loaded snapshot after a list of changes in JSON. Throws as `changeLoadedInSteps` does. */
export function* changeLoadedByJsonInSteps(
  before: LoadedSnapshot,
  changes: unknown,
  settings: Settings,
): Steps<LoadedSnapshot> {
  const { applied } = yield* applyJsonInSteps(before, changes, settings);
  return loadedAfter(before, applied);
}

/** Returns the files of a snapshot that was loaded again, with the names that changes have added to those before. */
export function filesAfterChanges(files: UploadedFiles | null, before: UploadedFiles | null): UploadedFiles | null {
  return files && before ? withNames(files, before.names) : files;
}

/** Returns what the changes of a batch are validated against, besides the store. */
export function batchOptions(loaded: LoadedSnapshot, { drafts }: Settings): BatchOptions {
  const { kind, dialect, addresses, roles, blockedUsers, uploadedFiles } = loaded;
  return { kind, dialect, addresses, drafts, roles, blockedUsers, uploadNames: uploadedFiles?.names ?? null };
}

/** Applies a list of changes in JSON to the store of a snapshot. Throws as `changeLoadedInSteps` does. */
export function* applyJsonInSteps(
  loaded: LoadedSnapshot,
  changes: unknown,
  settings: Settings,
): Steps<{ batch: Batch; applied: AppliedBatch; unlinked: Unlinked }> {
  const { store, tolerance } = loaded;
  const problems = new Problems(tolerance, 'batch');
  const { batch, built, unlinked } = yield* prepareChangesInSteps(
    store,
    changes,
    problems,
    batchOptions(loaded, settings),
  );
  return { batch, applied: yield* applyBuiltInSteps(store, built), unlinked };
}

/** Returns the snapshot that an applied batch leads to. */
export function loadedAfter(before: LoadedSnapshot, { store, access }: AppliedBatch): LoadedSnapshot {
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
