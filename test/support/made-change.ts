import type { Batch } from '../../src/changes/batch/batch.ts';
import type { Content } from '../../src/content/content.ts';
import { type MadeChange, madeChangeOf } from '../../src/content/versions/prepared-change.ts';
import { runAtOnce } from '../../src/core/steps.ts';

/** Applies a batch to a content, and returns the change for other threads with the same content. */
export function makeChange({ history }: Content, batch: Batch): MadeChange {
  return madeChangeOf(runAtOnce(history.commitInSteps(runAtOnce(history.prepareInSteps(batch, 'batch')))));
}
