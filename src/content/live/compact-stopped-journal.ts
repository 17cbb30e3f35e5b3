import { compactStore } from '../../changes/compact/compact-store.ts';
import type { FileLayer } from '../../changes/journal/file-layer.ts';
import type { OpenedJournal } from '../../changes/journal/journal.ts';
import { heapAllocator } from '../../core/memory/allocator.ts';
import { runAtOnce } from '../../core/steps.ts';
import { imageContentOf } from '../../load/image/load-image.ts';
import { writeImage } from '../../load/image/write-image.ts';
import { loadSettingsOf } from '../../load/loaded.ts';
import type { Settings } from '../../model/settings/config.ts';
import { versionText } from '../../store/content-version.ts';
import type { Load } from '../open.ts';
import { changeLoadedInSteps } from '../versions/change-loaded.ts';
import { AnsweredKeys } from './change-request.ts';
import { openContentJournal, rotateJournal } from './content-journal.ts';
import { applyChangesInSteps, loadJournalBase, rejectOwnImage } from './open-journal.ts';

/** What a compaction did. */
export interface CompactionResult {
  /** Batches of changes that the journal held. With 0, nothing was to be done. */
  readonly batches: number;
  /** The version of the content, as in the header `X-Lectern-Version`. */
  readonly version: string;
  /** The image that was written. Null if there were no changes. */
  readonly image: { readonly path: string; readonly bytes: number } | null;
  /** Size of the journal in bytes. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly cut: OpenedJournal['cut'];
}

/**
 * Compacts the journal at `path` while no server has it: writes the content with its changes as an image beside it, and
 * begins it anew without them. It must exist. Rejects as `openWithJournal` does.
 */
export async function compactJournal(
  path: string,
  snapshot: string,
  settings: Settings,
  load: Load<string>,
  files?: FileLayer,
): Promise<CompactionResult> {
  rejectOwnImage(snapshot, path);
  const options = loadSettingsOf(settings);
  const given = await load(snapshot, options);
  const opened = await openContentJournal(path, given, files);
  const { journal, changes, cut, answered } = opened;
  try {
    let loaded = await loadJournalBase(given, journal, options, load);
    const { epoch, sequence } = journal.base;
    const version = { epoch, sequence: sequence + changes.length };
    const result = { batches: changes.length, version: versionText(version), bytesBefore: journal.bytes, cut };
    if (changes.length === 0) return { ...result, image: null, bytesAfter: journal.bytes };
    runAtOnce(
      applyChangesInSteps(opened, function* (batch) {
        loaded = yield* changeLoadedInSteps(loaded, batch, settings);
        return loaded;
      }),
    );
    const { facts } = imageContentOf(loaded);
    const compacted = { ...loaded, version, store: await compactStore(loaded.store, facts, heapAllocator) };
    const image = journal.imagePath(version);
    const { bytes } = await writeImage(image, imageContentOf(compacted), files);
    await rotateJournal(journal, compacted, version, new AnsweredKeys(answered).all);
    return { ...result, image: { path: image, bytes }, bytesAfter: journal.bytes };
  } finally {
    await journal.close();
  }
}
