import { stateDigest } from '../../changes/log/state-digest.ts';
import { SnapshotError } from '../../core/errors.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { PublishedState } from '../../publication/publication.ts';
import { versionText } from '../../store/content-version.ts';

/**
 * Throws a SnapshotError unless the content of an image is that of a published state. An image of format 3 need not have a
 * version.
 */
export function requireState(path: string, loaded: LoadedSnapshot, expected: PublishedState): void {
  const { version } = loaded;
  if (version && versionText(version) !== versionText(expected)) {
    throw new SnapshotError([
      `${path}: has the version ${versionText(version)}, and the publication says ${versionText(expected)}`,
    ]);
  }
  const digest = stateDigest(loaded);
  if (digest === expected.digest) return;
  throw new SnapshotError([`${path}: has the digest ${digest}, and the publication says ${expected.digest}`]);
}
