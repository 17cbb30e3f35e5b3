import { dirname, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Batch } from '../../changes/batch/batch.ts';
import { JournalDamaged, JournalError } from '../../changes/journal/errors.ts';
import type { FileLayer } from '../../changes/journal/file-layer.ts';
import { isImageOf } from '../../changes/journal/images.ts';
import type { Journal } from '../../changes/journal/journal.ts';
import { describeCut } from '../../changes/journal/recover.ts';
import { stateDigest } from '../../changes/log/state-digest.ts';
import { SnapshotError } from '../../core/errors.ts';
import { runInTurns, type Steps } from '../../core/steps.ts';
import type { LoadedSnapshot, LoadOptions } from '../../load/loaded.ts';
import { ConfigError } from '../../model/settings/config.ts';
import { type ContentVersion, versionText } from '../../store/content-version.ts';
import type { Content } from '../content.ts';
import type { Load } from '../open.ts';
import { filesAfterChanges } from '../versions/change-loaded.ts';
import { type OpenedContentJournal, openContentJournal } from './content-journal.ts';

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
      opened = await openContentJournal(path, given, files);
      return loadJournalBase(given, opened.journal, options, load);
    });
    const { changes, cut } = opened!;
    const { history } = content;
    await runInTurns(
      applyChangesInSteps(opened!, function* (batch) {
        yield* history.commitInSteps(yield* history.prepareInSteps(batch, 'batch'));
        return history.loaded;
      }),
    );
    if (cut) log.warn({ journal: path, ...cut }, describeCut(cut));
    log.info({ journal: path, version: content.version, batches: changes.length }, 'opened the journal');
    return { content, opened: opened! };
  } catch (error) {
    await opened?.journal.close();
    throw error;
  }
}

/**
 * Returns the content to which the changes of a journal apply. Without an image, it is the snapshot that the journal
 * belongs to. With one, whatever changes can reach comes from the image, in the dialect of the snapshot, and all else from
 * the snapshot. The header of the journal names the image by the version of its content, so only its checksums are checked
 * again. Rejects with a JournalError if the image does not load.
 */
export async function loadJournalBase(
  given: LoadedSnapshot,
  { path, base }: Pick<Journal, 'path' | 'base'>,
  options: LoadOptions,
  load: Load<string>,
): Promise<LoadedSnapshot> {
  const { epoch, sequence, image } = base;
  const version = { epoch, sequence };
  if (image === null) return { ...given, version };
  const loaded = await load(resolve(dirname(path), image), {
    ...options,
    dialect: given.dialect.name,
    database: given.dialect.database,
    mysql: given.dialect.mysql ?? undefined,
    tolerance: 'tolerant',
    isOwnImage: true,
  }).catch((error: unknown) => {
    if (!(error instanceof SnapshotError)) throw error;
    // nobody can build it again, as other images
    const [problem] = error.problems[0].split('. Build it again');
    const advice =
      'Start with the settings dialect, database and users of the last start, or restore the image from a copy';
    throw new JournalError(`the image of the journal ${path} does not load: ${problem}. ${advice}`, { cause: error });
  });
  const found = stateDigest(loaded);
  if (found !== base.version) {
    throw new JournalDamaged(path, 0, `its image ${image} has the version ${found}, expected ${base.version}`);
  }
  return withChangesOf(given, loaded, version);
}

/** Returns a snapshot with whatever changes can reach of an image. */
export function withChangesOf(
  given: LoadedSnapshot,
  { store, roles, blockedUsers, uploadedFiles: files }: LoadedSnapshot,
  version: ContentVersion,
): LoadedSnapshot {
  const uploadedFiles = filesAfterChanges(given.uploadedFiles, files);
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

/**
 * Applies the changes of a journal to its base, in order. `applyInSteps` returns the content after a batch. Throws a
 * JournalError that names a batch that does not fit, or that leads to other content than before.
 */
export function* applyChangesInSteps(
  {
    journal: { path, base },
    changes,
  }: { readonly journal: Pick<Journal, 'path' | 'base'> } & Pick<OpenedContentJournal, 'changes'>,
  applyInSteps: (batch: Batch) => Steps<LoadedSnapshot>,
): Steps<void> {
  for (const [i, { batch, digest }] of changes.entries()) {
    const version = versionText({ epoch: base.epoch, sequence: base.sequence + i + 1 });
    let after: LoadedSnapshot;
    try {
      after = yield* applyInSteps(batch);
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      throw new JournalError(`cannot apply ${version} of the journal ${path}: ${error.message}`);
    }
    const found = stateDigest(after);
    if (digest === undefined || found === digest) continue;
    throw new JournalError(`${version} of the journal ${path} leads to the content ${found}, and led to ${digest}`);
  }
}
