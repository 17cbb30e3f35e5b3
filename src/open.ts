import type { Settings } from './config/config.ts';
import type { SourceOf } from './config/setting-problems.ts';
import { Content } from './content.ts';
import { loadExtension } from './extend/load.ts';
import type { JsonSnapshot } from './load/json/json-source.ts';
import { loadSnapshot } from './load/load.ts';
import { checkUploads, openUploads } from './media/open-uploads.ts';

/**
 * Loads a snapshot and its extension, opens its uploads and returns the content. Throws a SnapshotError or a ConfigError;
 * `sourceOf` names the source of a setting that contradicts the snapshot.
 */
export async function openContent(
  source: string | JsonSnapshot,
  settings: Settings,
  sourceOf: SourceOf,
): Promise<Content> {
  // before the snapshot, which takes longer
  const extension = settings.extend === undefined ? null : await loadExtension(settings.extend);
  const started = performance.now();
  await checkUploads(settings);
  const { tolerance, dialect, mediaUrl } = settings;
  const loaded = await loadSnapshot(source, { tolerance, dialect, mediaUrl });
  const uploads = await openUploads(settings, loaded.uploadedFiles);
  return new Content(loaded, settings, started, { extension, uploads, sourceOf });
}
