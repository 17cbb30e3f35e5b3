import { requireState } from '../../content/publishing/require-state.ts';
import { SnapshotError } from '../../core/errors.ts';
import { isImage } from '../../load/image/read-image.ts';
import { loadSnapshot } from '../../load/load.ts';
import type { LoadedSnapshot, LoadOptions } from '../../load/loaded.ts';
import type { PublishedState } from '../../publication/publication.ts';

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
  requireState(path, loaded, { epoch, sequence, digest });
  return { ...loaded, version: { epoch, sequence } };
}

const otherRules =
  'the publisher serves another dialect, or the rules of another database. Give the replica its settings dialect and database, or leave them out';
