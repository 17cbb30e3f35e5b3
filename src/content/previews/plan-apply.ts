import type { Batch } from '../../changes/batch/batch.ts';
import { joinBatchesInSteps, withOrdinaryIds } from '../../changes/batch/join-batches.ts';
import type { Unlinked } from '../../changes/batch/unlinked.ts';
import { entriesOfTarget } from '../../changes/entries/change-target.ts';
import { conflict, SnapshotError } from '../../core/errors.ts';
import type { Steps } from '../../core/steps.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { Settings } from '../../model/settings/config.ts';
import { applyCheckedInSteps, checkJsonInSteps } from '../versions/change-loaded.ts';
import type { Version } from '../versions/version.ts';
import {
  type ChosenChanges,
  checkReferencesInSteps,
  chooseChangesInSteps,
  type DocumentChoice,
  unprocessable,
} from './choose-changes.ts';
import { addedSinceInSteps, type Conflict, detailsOf, findConflictsInSteps } from './conflicts.ts';
import { firstAddedId } from './kept-changes.ts';
import { EntryValues, type KnownValues, nameOfKey } from './known-values.ts';
import { asConflict, inList, type PreviewMaker, type PutPreview } from './made-preview.ts';
import { listsWithout, type PreviewFile } from './preview-changes.ts';

/** The preview whose changes are applied, and the state of its base. */
export interface ApplyParts {
  readonly put: PutPreview;
  readonly maker: PreviewMaker;
  readonly file: PreviewFile;
  readonly over: Version;
  /** The settings of the base. */
  readonly settings: Settings;
}

/** What applying changes does to the base and leaves of the preview. */
export interface ApplyPlan extends Pick<ChosenChanges, 'taken' | 'applied' | 'left'> {
  /** Null if there is nothing to apply. */
  readonly batch: Batch | null;
  readonly unlinked: Unlinked;
}

/**
 * Plans to apply the changes of some documents, or all of them (null), to the base. Throws a RequestError if the changes
 * do not fit the base, if the base has changed the same, or if what is left would not fit.
 */
export function* planApplyInSteps(parts: ApplyParts, documents: readonly DocumentChoice[] | null): Steps<ApplyPlan> {
  const { put, maker, file, over } = parts;
  const base = over.loaded;
  const all = yield* fittingInSteps(parts);
  const chosen = yield* chooseChangesInSteps(file.lists, documents, base);
  const { taken, applied, left } = chosen;
  if (left > 0) yield* checkReferencesInSteps(chosen, base, all);
  const { loaded, batches, unlinked } = yield* applyChosenInSteps(parts, chosen);
  const { conflicts, stale } = yield* conflictsOfInSteps(
    chosen,
    file.known,
    new EntryValues(base),
    new EntryValues(loaded),
  );
  if (conflicts.length + stale > 0) {
    const reason = 'The base has changed what these changes write: send POST /_contents/NAME/rebase first';
    throw conflict(reason.replace('NAME', put.name), detailsOf(conflicts));
  }
  if (left > 0) {
    try {
      yield* maker.applyInSteps(listsWithout(file.lists, taken), loaded);
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      const message = `What is left of the preview would not fit the base: ${error.problems[0]}. Choose these changes too`;
      throw unprocessable(message, { problems: error.problems, count: error.count });
    }
  }
  if (batches.length === 0) return { batch: null, unlinked, taken, applied, left };
  const joined = yield* joinBatchesInSteps(base.store, batches);
  if (!joined) {
    const message = 'The chosen changes delete an entry and add one with its id: apply those that delete it first';
    throw unprocessable(message, {});
  }
  return { batch: withOrdinaryIds(joined, base.store, firstAddedId), unlinked, taken, applied, left };
}

/** Returns what the preview shows over the base. */
function* fittingInSteps({ put, maker, file, over }: ApplyParts): Steps<EntryValues> {
  try {
    return new EntryValues(yield* maker.applyInSteps(file.lists, over.loaded));
  } catch (error) {
    throw asConflict(put, error);
  }
}

/** Maximum number of references without a link in an answer. */
const maxUnlinked = 10;

interface AppliedLists {
  readonly loaded: LoadedSnapshot;
  readonly batches: readonly Batch[];
  readonly unlinked: Unlinked;
}

/** Applies the chosen changes as the base applies changes. */
function* applyChosenInSteps({ put, over, settings }: ApplyParts, { lists }: ChosenChanges): Steps<AppliedLists> {
  let loaded: LoadedSnapshot = over.loaded;
  const batches: Batch[] = [];
  const unlinked = { count: 0, references: [] as Unlinked['references'][number][] };
  for (const [i, list] of lists.entries()) {
    try {
      const checked = yield* checkJsonInSteps(loaded, list, settings, put.putAt);
      ({ loaded } = yield* applyCheckedInSteps(loaded, checked.changes));
      batches.push(checked.batch);
      unlinked.count += checked.unlinked.count;
      unlinked.references.push(...checked.unlinked.references);
    } catch (error) {
      const named = lists.length > 1 ? inList(error, i) : error;
      if (!(named instanceof SnapshotError)) throw named;
      const message = `The chosen changes do not fit the base without the others: ${named.problems[0]}`;
      throw unprocessable(message, { problems: named.problems, count: named.count });
    }
  }
  return { loaded, batches, unlinked: { ...unlinked, references: unlinked.references.slice(0, maxUnlinked) } };
}

/** Returns the conflicts of the chosen changes, those that a rebase without a resolution resolves among them. */
function* conflictsOfInSteps(
  { lists, targets, written }: ChosenChanges,
  known: KnownValues | undefined,
  base: EntryValues,
  after: EntryValues,
): Steps<{ conflicts: readonly Conflict[]; stale: number }> {
  if (!known) return { conflicts: [], stale: 0 };
  const keys = new Map(written);
  for (const target of targets) {
    for (const { key } of entriesOfTarget(base.loaded.store, target)) keys.set(nameOfKey(key), key);
  }
  const found = yield* findConflictsInSteps(keys.values(), known, base, after);
  const added = yield* addedSinceInSteps(lists, known, base);
  return { conflicts: [...found.conflicts, ...added], stale: found.stale.length };
}
