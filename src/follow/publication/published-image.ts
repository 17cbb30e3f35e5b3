import { stateDigest } from '../../changes/log/state-digest.ts';
import { SnapshotError } from '../../core/errors.ts';
import { isImage } from '../../load/image/read-image.ts';
import { loadSnapshot } from '../../load/load.ts';
import type { LoadedSnapshot, LoadOptions } from '../../load/loaded.ts';
import type { PublishedState } from '../../publication/publication.ts';
import { versionText } from '../../store/content-version.ts';

/** The kind of the warning of an image that was built for another dialect or database. */
const otherDialect = 'other-dialect';

/**
 * Loads an image of a publication with all checks of foreign images, and gives it the version that the publication names.
 * Rejects with a SnapshotError, also if it has another version or digest.
 */
export async function loadPublishedImage(
  path: string,
  { epoch, sequence, digest }: PublishedState,
  options: LoadOptions,
): Promise<LoadedSnapshot> {
  if (!(await isImage(path))) throw new SnapshotError([`${path}: is not an image of Lectern`]);
  const loaded = await loadSnapshot(path, { ...options, isOwnImage: false });
  if (loaded.warnings.some(({ kind }) => kind === otherDialect)) throw new SnapshotError([`${path}: ${otherRules}`]);
  requireExpected(path, loaded, { epoch, sequence, digest });
  return { ...loaded, version: { epoch, sequence } };
}

/** Throws a SnapshotError unless content is that of a published state. An image of format 3 need not have a version. */
export function requireExpected(path: string, loaded: LoadedSnapshot, expected: PublishedState): void {
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

const otherRules =
  'the publisher serves another dialect, or the rules of another database. Give the replica its settings dialect and database, or leave them out';
