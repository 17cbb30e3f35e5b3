import { stateDigest } from '../../changes/log/state-digest.ts';
import { requireState } from '../../content/publishing/require-state.ts';
import type { ContentEntry } from '../../content/registry/contents.ts';
import type { ServedContents } from '../../content/registry/served-contents.ts';
import type { LoadedSnapshot, PinnedImage } from '../../load/loaded.ts';
import { versionText } from '../../store/content-version.ts';

/** Loads an image for the content, in a thread. */
export type LoadAgain = (path: string) => Promise<LoadedSnapshot>;

/**
 * Serves what the publisher has pinned in all threads: from a version that is kept, or else from its image. Null stands for
 * the latest version. Rejects with a SnapshotError if the image is not that of the version.
 */
export async function holdPinned(
  { contents, live }: ServedContents,
  entry: ContentEntry,
  pinned: PinnedImage | null,
  load: LoadAgain,
): Promise<void> {
  const content = entry.content!;
  const changes = live!.of(entry)!;
  const spread = () => contents.pin(entry);
  if (pinned === null) {
    if (content.pinned) await changes.pin(null, spread);
    return;
  }
  const { version, digest, path } = pinned;
  const isIt = (loaded: LoadedSnapshot | undefined) => loaded !== undefined && stateDigest(loaded) === digest;
  const name = versionText(version);
  if (content.pinned?.version === name && isIt(content.history.active.loaded)) return;
  // a fork may have had another content of the same version
  if (isIt(content.history.kept(name)?.loaded)) return changes.pin(name, spread);
  const loaded = { ...(await load(path)), version };
  requireState(path, loaded, { ...version, digest });
  await changes.pin(loaded, spread);
}
