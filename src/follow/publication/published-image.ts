import { rm } from 'node:fs/promises';
import { requireState } from '../../content/publishing/require-state.ts';
import { SnapshotError } from '../../core/errors.ts';
import { asSnapshotError } from '../../load/files.ts';
import { loadImage } from '../../load/image/load-image.ts';
import { isImage } from '../../load/image/read-image.ts';
import { countUsers, type LoadedSnapshot, type LoadOptions } from '../../load/loaded.ts';
import type { PublishedState } from '../../publication/publication.ts';

/** The kind of the warning of an image that was built for another dialect or database. */
const otherDialect = 'other-dialect';

/**
 * Loads an image of a publication with all checks of foreign images, and gives it the version that the publication names.
 * Rejects with a SnapshotError, also if it has another version or digest. Without the option `users`, removes an image that
 * holds some.
 */
export async function loadPublishedImage(
  path: string,
  { epoch, sequence, digest }: PublishedState,
  options: LoadOptions,
): Promise<LoadedSnapshot> {
  if (!(await isImage(path))) throw new SnapshotError([`${path}: is not an image of Lectern`]);
  const loaded = await loadImage(path, { ...options, users: true, isOwnImage: false }).catch((error) => {
    throw asSnapshotError(error, path);
  });
  if (options.users === false && countUsers(loaded.store) > 0) {
    await rm(path, { force: true });
    throw new UsersError();
  }
  if (loaded.warnings.some(({ kind }) => kind === otherDialect)) throw new SnapshotError([`${path}: ${otherRules}`]);
  requireState(path, loaded, { epoch, sequence, digest });
  return { ...loaded, version: { epoch, sequence } };
}

/** The content of a publication has users, and the replica wants none. */
export class UsersError extends SnapshotError {
  constructor() {
    super([otherUsers]);
  }
}

const otherUsers =
  'the publisher has users, and the setting users of this replica is false. Set it to false at the publisher, or leave it out here';

const otherRules =
  'the publisher serves another dialect, or the rules of another database. Give the replica its settings dialect and database, or leave them out';
