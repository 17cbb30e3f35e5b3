/** Copies a SQLite database while a lock keeps writers from committing. */
import { closeSync, openSync, readSync } from 'node:fs';
import { headerBytes, parseFileHeader } from './file-header.ts';
import { nodeSqlite } from './node-driver.ts';
import { updateCopyAtOnce } from './update-copy.ts';

/** Milliseconds that the lock is held at most. SQLite's own pauses between the tries of a writer add up to 25. */
export const longestLock = 40;

/**
 * Updates a copy in one turn of the event loop, which a commit of another process waits for. Returns false if the lock
 * is not to be had, copying takes longer, or this Node has no SQLite that locks as other processes do. Only for
 * databases with a rollback journal, as a lock does not keep others from writing to a log.
 */
export function copyUnderLock(path: string, copy: string): boolean {
  const sqlite = nodeSqlite();
  if (!sqlite) return false;
  // closing any descriptor of a file drops the process's POSIX locks on it, so this one is closed after the lock
  const source = openSync(path, 'r');
  try {
    const target = openSync(copy, 'r+');
    try {
      const connection = new sqlite.DatabaseSync(path, { readOnly: true });
      try {
        connection.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
        const counter = changeCounter(source, path);
        const isWhole = updateCopyAtOnce(source, target, performance.now() + longestLock);
        // another thread that closed a descriptor of the file has dropped the lock
        return isWhole && changeCounter(source, path) === counter;
      } catch (error) {
        if (isFileSystemError(error)) throw error;
        // most likely, a writer holds the lock
        return false;
      } finally {
        connection.close();
      }
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
}

function changeCounter(file: number, path: string): number {
  const bytes = Buffer.alloc(headerBytes);
  const length = readSync(file, bytes, 0, headerBytes, 0);
  return parseFileHeader(bytes.subarray(0, length), path).changeCounter;
}

function isFileSystemError(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall !== undefined;
}
