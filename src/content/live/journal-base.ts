import { dirname, resolve } from 'node:path';
import { JournalDamaged, JournalError } from '../../changes/journal/errors.ts';
import { isImageOf } from '../../changes/journal/images.ts';
import { SnapshotError } from '../../core/errors.ts';
import type { LoadedSnapshot, LoadOptions } from '../../load/loaded.ts';
import { ConfigError } from '../../model/settings/config.ts';
import type { Load } from '../open.ts';
import { filesAfterChanges } from '../versions/change-loaded.ts';
import { type ContentJournal, journalVersion } from './content-journal.ts';

/**
 * Returns the content to which the changes of a journal apply. Without an image, it is the snapshot that the journal
 * belongs to. With one, whatever changes can reach comes from the image, in the dialect of the snapshot, and all else from
 * the snapshot. The header of the journal names the image by the version of its content, so only its checksums are checked
 * again. Rejects with a JournalError if the image does not load.
 */
export async function loadJournalBase(
  given: LoadedSnapshot,
  { path, base }: Pick<ContentJournal, 'path' | 'base'>,
  options: LoadOptions,
  load: Load<string>,
): Promise<LoadedSnapshot> {
  const { epoch, sequence, image } = base;
  const version = { epoch, sequence };
  if (image === null) return { ...given, version };
  const loaded = await load(resolve(dirname(path), image), {
    ...options,
    dialect: given.dialect.name,
    tolerance: 'tolerant',
    isOwnImage: true,
  }).catch((error: unknown) => {
    if (!(error instanceof SnapshotError)) throw error;
    // nobody can build it again, as other images
    const [problem] = error.problems[0].split('. Build it again');
    const advice = 'Start with the dialect of the last start, or restore the image from a copy';
    throw new JournalError(`the image of the journal ${path} does not load: ${problem}. ${advice}`, { cause: error });
  });
  const found = journalVersion(loaded);
  if (found !== base.version) {
    throw new JournalDamaged(path, 0, `its image ${image} has the version ${found}, expected ${base.version}`);
  }
  const { store, roles, blockedUsers } = loaded;
  const uploadedFiles = filesAfterChanges(given.uploadedFiles, loaded.uploadedFiles);
  return { ...given, store, roles, blockedUsers, uploadedFiles, version };
}

/** Throws a ConfigError if the path of a snapshot is an image of a journal, which the next compaction removes. */
export function rejectOwnImage(snapshot: string, journal: string): void {
  const [given, own] = [resolve(snapshot), resolve(journal)];
  if (dirname(given) !== dirname(own) || !isImageOf(own, given.slice(dirname(own).length + 1))) return;
  throw new ConfigError(
    `${snapshot} is an image of the journal ${journal}, which removes it when it is compacted. ` +
      'Give the snapshot with which the journal began, or a copy of the image under another name',
  );
}
