import { SnapshotError } from '../core/errors.ts';

/** Returns an error of the system, such as a missing file, as one of the snapshot at `source`. Returns others as they are. */
export function asSnapshotError(error: unknown, source: string): unknown {
  const { syscall, path = source, message } = error as NodeJS.ErrnoException;
  return syscall === undefined ? error : new SnapshotError([`${path}: cannot be read: ${message}`]);
}
