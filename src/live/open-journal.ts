import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { SnapshotError } from '../base/errors.ts';
import type { Content } from '../content.ts';
import { JournalError } from '../journal/errors.ts';
import type { FileLayer } from '../journal/file-layer.ts';
import { ContentJournal, type OpenedContentJournal } from './content-journal.ts';

export interface ContentWithJournal {
  readonly content: Content;
  readonly opened: OpenedContentJournal;
}

/**
 * Opens the journal of a content that is not served yet, and applies its changes. The result is the content of the
 * journal's image, if it has one, which `open` opens. Rejects as `Journal.open` does, and with a JournalError if a change
 * cannot be applied.
 */
export async function openWithJournal(
  given: Content,
  path: string,
  open: (image: string) => Promise<Content>,
  log: Logger,
  files?: FileLayer,
): Promise<ContentWithJournal> {
  const opened = await ContentJournal.open(path, { epoch: given.base.epoch, version: given.summary.version }, files);
  const { journal, batches, cut } = opened;
  try {
    const { image, epoch, sequence } = journal.base;
    const content = image === null ? given : await open(join(dirname(path), image));
    if (content !== given) await given.close();
    content.resume({ epoch, sequence });
    replay(content, batches, path);
    if (cut) log.warn({ journal: path, ...cut }, 'cut off the end of the journal, a batch that was not acknowledged');
    log.info({ journal: path, version: content.version, batches: batches.length }, 'opened the journal');
    return { content, opened };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

function replay(content: Content, batches: OpenedContentJournal['batches'], path: string): void {
  for (const batch of batches) {
    try {
      content.apply(batch);
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      const { epoch, sequence } = content.nextVersion;
      throw new JournalError(`cannot apply ${epoch}-${sequence} of the journal ${path}: ${error.message}`);
    }
  }
}
