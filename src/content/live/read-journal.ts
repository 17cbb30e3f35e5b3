import { JournalError } from '../../changes/journal/errors.ts';
import { type FileLayer, nodeFiles } from '../../changes/journal/file-layer.ts';
import { readJournal } from '../../changes/journal/recover.ts';
import { earlierStateDigest, stateDigest } from '../../changes/log/state-digest.ts';
import { runAtOnce } from '../../core/steps.ts';
import { type LoadedSnapshot, loadSettingsOf } from '../../load/loaded.ts';
import type { Settings } from '../../model/settings/config.ts';
import { firstVersion, versionText } from '../../store/content-version.ts';
import type { Load } from '../open.ts';
import { changeLoadedInSteps } from '../versions/change-loaded.ts';
import { keptChange } from './content-journal.ts';
import { applyChangesInSteps, loadJournalBase, rejectOwnImage } from './open-journal.ts';

/** A content with the changes of a journal. */
export interface ReadContent {
  readonly loaded: LoadedSnapshot;
  /** Batches since the base of the journal. */
  readonly batches: number;
  /** The version that they lead to, as in the header `X-Lectern-Version`. */
  readonly version: string;
  /** Bytes at the end of the journal that are no complete record. */
  readonly rest: number;
}

/** How often a journal is read that is compacted meanwhile. */
const maxAttempts = 3;

/**
 * Returns a snapshot with the changes of the journal at `path`, which a server may have open: it is read without its lock,
 * and stays as it is. Rejects as `openWithJournal` does.
 */
export async function loadWithJournal(
  path: string,
  snapshot: string,
  given: LoadedSnapshot,
  settings: Settings,
  load: Load<string>,
  files: FileLayer = nodeFiles,
): Promise<ReadContent> {
  rejectOwnImage(snapshot, path);
  for (let attempt = 1; ; attempt++) {
    try {
      return await read(path, given, settings, load, files);
    } catch (error) {
      // a compaction may have removed the image between two reads
      if (!(error instanceof JournalError) || attempt === maxAttempts) throw error;
    }
  }
}

async function read(
  path: string,
  given: LoadedSnapshot,
  settings: Settings,
  load: Load<string>,
  files: FileLayer,
): Promise<ReadContent> {
  const { epoch } = given.version ?? firstVersion();
  const content = { epoch, version: stateDigest(given), earlier: earlierStateDigest(given) };
  const { base, transactions, rest } = await readJournal(path, content, files);
  const journal = { path, base };
  let loaded = await loadJournalBase(given, journal, loadSettingsOf(settings), load);
  const changes = transactions.map(keptChange);
  runAtOnce(
    applyChangesInSteps({ journal, changes }, function* (batch) {
      loaded = yield* changeLoadedInSteps(loaded, batch, settings);
      return loaded;
    }),
  );
  const version = { epoch: base.epoch, sequence: base.sequence + changes.length };
  return { loaded: { ...loaded, version }, batches: changes.length, version: versionText(version), rest };
}
