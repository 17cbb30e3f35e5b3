/** Contents whose changes a journal on a simulated disk keeps, and which are compacted in this thread. */
import { rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Random } from '../../bench/random.ts';
import type { Batch } from '../../src/changes/batch/batch.ts';
import type { Compact, WriteCompacted } from '../../src/changes/compact/compact-in-thread.ts';
import { type FileLayer, nodeFiles } from '../../src/changes/journal/file-layer.ts';
import { imageName } from '../../src/changes/journal/images.ts';
import { stateDigest } from '../../src/changes/log/state-digest.ts';
import { Content } from '../../src/content/content.ts';
import { openContentJournal } from '../../src/content/live/content-journal.ts';
import { type ContentWithJournal, loadJournalBase, openWithJournal } from '../../src/content/live/open-journal.ts';
import { type Load, openWithExtension } from '../../src/content/open.ts';
import type { CompactionParts } from '../../src/content/versions/compactions.ts';
import { identityOf } from '../../src/content/versions/version.ts';
import type { JsonSnapshot, OpenOptions } from '../../src/index.ts';
import { imageContentOf } from '../../src/load/image/load-image.ts';
import { writeImage } from '../../src/load/image/write-image.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { LoadedSnapshot } from '../../src/load/loaded.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { createLog } from '../../src/server/log/log.ts';
import { folder, SimulatedDisk } from '../journal/simulated-disk.ts';
import { compactHere } from './compact-here.ts';
import { temporaryFolder } from './folders.ts';
import { loadShared } from './open-shared.ts';

export const journalPath = join(folder, 'changes');

export const newDisk = (seed = 1) => new SimulatedDisk(new Random(seed));

const log = createLog({ level: 'silent', format: 'json' } as never);
/** Opens the content of a snapshot with the changes of the journal of a disk. */
export function openJournaled(
  disk: SimulatedDisk,
  snapshot: JsonSnapshot | string,
  options: OpenOptions = { public: true },
  compact: Compact = compactHere,
): Promise<ContentWithJournal> {
  const load: Load<string> = (path, given) => {
    if (path === 'given') return loadShared(snapshot, given);
    const image = join(temporaryFolder(), 'loaded.image');
    writeFileSync(image, disk.bytes(basename(path)));
    return loadSnapshot(image, given);
  };
  const parts = { compactions: { compact, limits: null } };
  return openWithJournal(
    journalPath,
    (around) => openWithExtension('given', readOptions(options), () => 'options', null, around(load), parts),
    log,
    disk.files,
  );
}

/** Writes a journal of a snapshot with these batches to a file. */
export async function writeJournal(path: string, snapshot: string, batches: readonly Batch[]): Promise<void> {
  const { journal } = await openContentJournal(path, await loadShared(snapshot));
  const { epoch } = journal.base;
  for (const [i, changes] of batches.entries()) {
    await journal.append([{ epoch, sequence: i + 1, previous: null, changes }]);
  }
  await journal.close();
}

/**
 * Returns the content of the image of a content, as a start with a compacted journal opens it. `given` is the snapshot that
 * the content began with.
 */
export async function openFromImage(
  { history }: Content,
  given: LoadedSnapshot,
  compactions: CompactionParts,
): Promise<Content> {
  const { loaded, settings, version } = history;
  const path = join(temporaryFolder(), 'journal');
  const image = imageName(path, version);
  await writeOn(nodeFiles)(join(dirname(path), image), loaded, new AbortController().signal);
  const base = { ...version, version: stateDigest(loaded), image };
  const reopened = await loadJournalBase(given, { path, base }, settings, loadSnapshot);
  rmSync(dirname(path), { recursive: true });
  if (identityOf(reopened) !== identityOf(loaded)) throw new Error('the image has other content');
  return new Content(reopened, settings, 0, { compactions });
}

/** Returns a function that writes images to a disk. */
export function writeOn(files: FileLayer): WriteCompacted {
  return async (path, loaded, signal) => {
    const store = await compactHere(loaded, signal);
    const { bytes } = await writeImage(path, imageContentOf({ ...loaded, store }), files);
    signal.throwIfAborted();
    return bytes;
  };
}
