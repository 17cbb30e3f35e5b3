import { readBatchInSteps } from '../../changes/batch/batch.ts';
import { joinGivenInSteps } from '../../changes/batch/join-batches.ts';
import { compactStore } from '../../changes/compact/compact-store.ts';
import { stateDigest } from '../../changes/log/state-digest.ts';
import { type ChangeSettings, changeLoadedInSteps } from '../../content/versions/change-loaded.ts';
import { defaultLimits, needsCompaction } from '../../content/versions/compactions.ts';
import { SnapshotError } from '../../core/errors.ts';
import { type Allocator, heapAllocator } from '../../core/memory/allocator.ts';
import { Problems } from '../../core/problems.ts';
import { runInTurns, type Steps } from '../../core/steps.ts';
import { imageContentOf } from '../../load/image/load-image.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { PublishedChange, PublishedState } from '../../publication/publication.ts';
import { versionText } from '../../store/content-version.ts';

/** Returns why a change cannot be applied to a state, as a clause for the log, or null if it can. */
export function gapBefore(change: PublishedChange, state: PublishedState): string | null {
  if (change.epoch !== state.epoch) return `the publisher has begun anew, with ${versionText(change)}`;
  if (change.sequence !== state.sequence + 1) {
    return `the log lacks the changes between ${versionText(state)} and ${versionText(change)}`;
  }
  if (change.digests.before === state.digest) return null;
  return `the change ${versionText(change)} was made to other content: its digest is ${change.digests.before}, here ${state.digest}`;
}

/** Changes that are joined at a time. */
const mostJoined = 100;

/**
 * Returns content with the changes that follow it in the log, joined where they can be, with the checks that changes of
 * requests get. A base is made of many changes, as while they are served. Rejects with a SnapshotError.
 */
export async function replayLog(
  before: LoadedSnapshot,
  changes: readonly PublishedChange[],
  settings: ChangeSettings,
  allocator: Allocator = heapAllocator,
): Promise<LoadedSnapshot> {
  let loaded = before;
  for (let at = 0; at < changes.length; at += mostJoined) {
    loaded = await afterSome(loaded, changes.slice(at, at + mostJoined), settings);
    const { store } = loaded;
    if (!needsCompaction(store, defaultLimits)) continue;
    loaded = { ...loaded, store: await compactStore(store, imageContentOf(loaded).facts, allocator) };
  }
  return loaded;
}

async function afterSome(
  before: LoadedSnapshot,
  changes: readonly PublishedChange[],
  settings: ChangeSettings,
): Promise<LoadedSnapshot> {
  const joined = changes.length > 1 ? await runInTurns(afterJoinedInSteps(before, changes, settings)) : null;
  if (joined) return joined;
  let loaded = before;
  for (const change of changes) loaded = await runInTurns(afterChangeInSteps(loaded, change, settings));
  return loaded;
}

/** Returns null if the changes have to be applied one by one: then it is known which of them does not fit. */
function* afterJoinedInSteps(
  before: LoadedSnapshot,
  changes: readonly PublishedChange[],
  settings: ChangeSettings,
): Steps<LoadedSnapshot | null> {
  const { epoch, sequence, digests } = changes.at(-1)!;
  try {
    const given = changes.map((change) => change.changes);
    const batch = yield* joinGivenInSteps(before, given);
    const loaded = batch && (yield* changeLoadedInSteps(before, batch, settings));
    return loaded && stateDigest(loaded) === digests.after ? { ...loaded, version: { epoch, sequence } } : null;
  } catch (error) {
    if (error instanceof SnapshotError) return null;
    throw error;
  }
}

function* afterChangeInSteps(
  before: LoadedSnapshot,
  change: PublishedChange,
  settings: ChangeSettings,
): Steps<LoadedSnapshot> {
  const place = `the change ${versionText(change)} of the log`;
  try {
    const problems = new Problems(before.tolerance, 'batch');
    const batch = yield* readBatchInSteps(change.changes, problems);
    if (!batch) problems.throwIfAny();
    const loaded = yield* changeLoadedInSteps(before, batch!, settings);
    const digest = stateDigest(loaded);
    const { epoch, sequence } = change;
    if (digest === change.digests.after) return { ...loaded, version: { epoch, sequence } };
    throw new SnapshotError([`leads to the digest ${digest}, expected ${change.digests.after}`], 1, 'batch');
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    const problems = error.problems.map((problem) => `${place}: ${problem}`);
    throw new SnapshotError(problems, error.count, 'batch');
  }
}
