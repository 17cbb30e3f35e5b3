import { SnapshotError } from '../../core/errors.ts';

const sentences: Record<string, string> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EISDIR: 'a folder; name the database file in it',
  EACCES: 'this process may not read or write it',
  EPERM: 'this process may not read or write it',
  ENOSPC: 'no space is left for a copy of the database',
  EDQUOT: 'no space is left for a copy of the database',
};

/**
 * Returns a SnapshotError for an error of the file system. It names the file that the error names, otherwise `path`, or
 * `folder` where the disk of the copy is full. Returns other errors unchanged.
 */
export function fileError(error: unknown, path: string, folder = path): unknown {
  const { code, message, path: place } = error as NodeJS.ErrnoException;
  if (code === undefined || error instanceof SnapshotError) return error;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new SnapshotError([`${folder}: ${sentences[code]} ${path}`]);
  return new SnapshotError([`${place ?? path}: ${sentences[code] ?? message}`]);
}
