import { type LoadedExtension, loadExtension } from '../engine/additions/load.ts';
import { checkUploads } from '../http/files/open-uploads.ts';
import type { JsonSnapshot } from '../load/json/json-source.ts';
import { loadSnapshot } from '../load/load.ts';
import { type LoadedSnapshot, type LoadOptions, loadSettingsOf } from '../load/loaded.ts';
import { attachSnapshot } from '../load/thread/described-snapshot.ts';
import { type LoadThread, loadInThread } from '../load/thread/load-in-thread.ts';
import type { Settings } from '../model/settings/config.ts';
import type { SourceOf } from '../model/settings/setting-problems.ts';
import { prepareDigests } from '../store/writer/rows/row-digest.ts';
import { Content, type ContentParts } from './content.ts';

/** Loads a snapshot as `loadSnapshot` does. */
export type Load<Source> = (source: Source, options: LoadOptions) => Promise<LoadedSnapshot>;

/**
 * Loads a snapshot and its extension, opens its uploads and returns the content. Throws a SnapshotError or a
 * ConfigError; `sourceOf` names the source of a setting that contradicts the snapshot.
 */
export async function openContent(
  source: string | JsonSnapshot,
  settings: Settings,
  sourceOf: SourceOf,
): Promise<Content> {
  // before the snapshot, which takes longer
  return openWithExtension(source, settings, sourceOf, await openExtension(settings));
}

/** Loads the module of the setting `extend`. Throws a ConfigError. */
export async function openExtension({ extend }: Settings): Promise<LoadedExtension | null> {
  return extend === undefined ? null : loadExtension(extend);
}

/** Opens content as `openContent` does, with an extension that is loaded already. */
export async function openWithExtension<Source extends string | JsonSnapshot>(
  source: Source,
  settings: Settings,
  sourceOf: SourceOf,
  extension: LoadedExtension | null,
  load: Load<Source> = loadSnapshot,
  parts: Pick<ContentParts, 'unpack' | 'compactions'> = {},
): Promise<Content> {
  const started = performance.now();
  // changes of the content make digests in this thread, whichever loads the snapshot
  await prepareDigests();
  await checkUploads(settings);
  const loaded = await load(source, loadSettingsOf(settings));
  return new Content(loaded, settings, started, { ...parts, extension, sourceOf });
}

/** Returns a function that loads snapshots as `loadSnapshot` does, in a thread that is kept. */
export function loadBy(thread: LoadThread): Load<string> {
  return async (source, options) =>
    attachSnapshot(await thread.load(source, { ...loadSettingsOf(options), isShared: false }));
}

/** Loads a snapshot in a thread, for a content that serves another one. Throws a SnapshotError. */
export async function loadAgain(source: string, settings: Settings): Promise<LoadedSnapshot> {
  return attachSnapshot(await loadInThread(source, { ...loadSettingsOf(settings), isShared: false }));
}
