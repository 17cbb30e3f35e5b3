import { closeSync, openSync, readSync } from 'node:fs';
import { imageSuffix } from '../../changes/journal/images.ts';
import type { Journal } from '../../changes/journal/journal.ts';
import { runInTurns } from '../../core/steps.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { PublishedContent } from '../publishing/publisher.ts';
import { requireState } from '../publishing/require-state.ts';
import type { VersionHistory } from '../versions/version-history.ts';
import type { AnsweredRequest } from './change-request.ts';
import { adoptInJournal, type LoggedTransaction } from './content-journal.ts';
import { withChangesOf } from './open-journal.ts';

/** What publishing needs of the process. */
export interface PublishParts {
  /** Makes another version visible in other threads. */
  spread(): Promise<void>;
  /** Loads an image, with all checks. */
  load(path: string): Promise<LoadedSnapshot>;
}

/** The content of a change writer. */
interface WrittenContent extends Pick<PublishedContent, 'take'> {
  readonly history: VersionHistory;
  readonly journal: Journal | null;
  /** The requests that the journal has to know. */
  answered(): readonly AnsweredRequest[];
}

/** Returns a content as its publisher sees it. */
export function publishedContent(
  { history, journal, answered, take }: WrittenContent,
  { spread, load }: PublishParts,
): PublishedContent {
  return {
    get loaded() {
      return history.loaded;
    },
    take,
    renumber: async (version) => {
      if (journal) return false;
      await runInTurns(history.replaceInSteps({ ...history.loaded, version }, performance.now(), true));
      await spread();
      return true;
    },
    adopt: async (path, state) => {
      if (hasChanges(history, journal)) return false;
      const { epoch, sequence } = state;
      const version = { epoch, sequence };
      const loaded = withChangesOf(history.loaded, await load(path), version);
      requireState(path, loaded, state);
      if (journal) {
        await journal.writeBeside(imageSuffix(version), piecesOf(path));
        await adoptInJournal(journal, loaded, version, answered());
      }
      await runInTurns(history.replaceInSteps(loaded, performance.now(), true));
      await spread();
      return true;
    },
    keptAfter: async (sequence) => {
      const kept = (await journal?.transactions()) ?? [];
      return kept.filter((one): one is LoggedTransaction => one.sequence > sequence && one.digests !== undefined);
    },
  };
}

/** Whether the content has changes that the snapshot did not have. */
function hasChanges({ version }: VersionHistory, journal: Journal | null): boolean {
  return journal ? journal.sequence > 0 || journal.base.image !== null : version.sequence > 0;
}

/** Bytes of an image that are copied at a time. */
const pieceBytes = 2 ** 24;

/** Yields the bytes of a file. */
function* piecesOf(path: string): Generator<Buffer> {
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const piece = Buffer.alloc(pieceBytes);
      const length = readSync(file, piece);
      if (length === 0) return;
      yield piece.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}
