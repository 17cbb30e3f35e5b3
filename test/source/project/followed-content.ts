import { accessAfter } from '../../../src/changes/batch/access-changes.ts';
import { applyBatchInSteps } from '../../../src/changes/batch/apply-batch.ts';
import type { Batch } from '../../../src/changes/batch/batch.ts';
import { checkBatchInSteps } from '../../../src/changes/batch/check-batch.ts';
import { Problems } from '../../../src/core/problems.ts';
import { runAtOnce } from '../../../src/core/steps.ts';
import type { LoadedSnapshot } from '../../../src/load/loaded.ts';

/** Returns the snapshot that a batch leads to. */
export function applyTo(loaded: LoadedSnapshot, batch: Batch): LoadedSnapshot {
  const { kind, dialect, addresses, roles, blockedUsers, uploadedFiles } = loaded;
  const options = { kind, dialect, addresses, roles, blockedUsers, uploadNames: uploadedFiles?.names ?? null };
  const problems = new Problems('tolerant', 'batch');
  const { changes } = runAtOnce(checkBatchInSteps(loaded.store, batch, problems, options));
  const { store } = runAtOnce(applyBatchInSteps(loaded.store, changes));
  const access = accessAfter(options, changes.access);
  const files = uploadedFiles?.kind === 'folder' ? { ...uploadedFiles, names: access.uploadNames } : null;
  return { ...loaded, store, roles: access.roles, blockedUsers: access.blockedUsers, uploadedFiles: files };
}

/** What a followed content has to have in common with its source. */
export function essenceOf({ store, roles, blockedUsers, uploadedFiles }: LoadedSnapshot) {
  return {
    digest: store.contentDigest,
    roles: roles.map((role) => ({ ...role, permissions: [...role.permissions].sort() })),
    blocked: [...blockedUsers].sort(),
    uploads: [...(uploadedFiles?.names ?? [])].sort(),
  };
}
