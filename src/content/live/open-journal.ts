import type { Logger } from 'pino';
import { describeCut } from '../../changes/journal/cut.ts';
import type { FileLayer } from '../../changes/journal/file-layer.ts';
import { runInTurns } from '../../core/steps.ts';
import type { Content } from '../content.ts';
import type { Load } from '../open.ts';
import { applyBatchesInSteps } from './apply-batches.ts';
import { ContentJournal, type OpenedContentJournal } from './content-journal.ts';
import { loadJournalBase, rejectOwnImage } from './journal-base.ts';

export interface ContentWithJournal {
  readonly content: Content;
  readonly opened: OpenedContentJournal;
}

/** Returns a function that loads what is served in place of a snapshot. */
export type AroundLoad = (load: Load<string>) => Load<string>;

/**
 * Opens a content whose changes a journal keeps, with these changes. `open` opens the content of a snapshot, and loads it
 * with the function that it gets. Rejects as `open` and `Journal.open` do, with a ConfigError if the snapshot is an image of
 * the journal, and with a JournalError if the image or a change cannot be applied.
 */
export async function openWithJournal(
  path: string,
  open: (around: AroundLoad) => Promise<Content>,
  log: Logger,
  files?: FileLayer,
): Promise<ContentWithJournal> {
  let opened: OpenedContentJournal | undefined;
  try {
    const content = await open((load) => async (snapshot, options) => {
      rejectOwnImage(snapshot, path);
      const given = await load(snapshot, options);
      opened = await ContentJournal.open(path, given, files);
      return loadJournalBase(given, opened.journal, options, load);
    });
    const { batches, cut } = opened!;
    const { served } = content;
    await runInTurns(
      applyBatchesInSteps(opened!, function* (batch) {
        yield* served.commitInSteps(yield* served.prepareInSteps(batch));
      }),
    );
    if (cut) log.warn({ journal: path, ...cut }, describeCut(cut));
    log.info({ journal: path, version: content.version, batches: batches.length }, 'opened the journal');
    return { content, opened: opened! };
  } catch (error) {
    await opened?.journal.close();
    throw error;
  }
}
