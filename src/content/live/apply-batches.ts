import { JournalError } from '../../changes/journal/errors.ts';
import { SnapshotError } from '../../core/errors.ts';
import type { Steps } from '../../core/steps.ts';
import { versionText } from '../../store/content-version.ts';
import type { OpenedContentJournal } from './content-journal.ts';

/** Applies the batches of a journal to its base, in order. Throws a JournalError that names one that cannot be applied. */
export function* applyBatchesInSteps(
  { journal: { path, base }, batches }: OpenedContentJournal,
  applyInSteps: (batch: OpenedContentJournal['batches'][number]) => Steps<void>,
): Steps<void> {
  for (const [i, batch] of batches.entries()) {
    try {
      yield* applyInSteps(batch);
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      const version = versionText({ epoch: base.epoch, sequence: base.sequence + i + 1 });
      throw new JournalError(`cannot apply ${version} of the journal ${path}: ${error.message}`);
    }
  }
}
