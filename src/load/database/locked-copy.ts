/** Copies a small SQLite database while a lock keeps writers from committing. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import type { FileState } from './database-state.ts';
import { headerBytes, parseFileHeader } from './file-header.ts';
import { nodeSqlite } from './node-driver.ts';

/** Milliseconds that a writer may wait. SQLite's own waiting between two tries of a writer adds up to 25. */
const longestLock = 50;
const chunkBytes = 2 ** 20;
/** Bytes that every supported machine copies within the limit. */
const largestFile = 64 * chunkBytes;

/**
 * Copies the file in one turn of the event loop. A commit of another process waits meanwhile, at most 50 ms. Returns false if
 * the lock is not to be had, the file is too large, or this Node has no SQLite that locks as other processes do.
 * `before` was read before. Only for rollback journals.
 */
export function copyUnderLock(path: string, copy: string, { journalMode, size }: FileState): boolean {
  const sqlite = nodeSqlite();
  if (!sqlite || journalMode !== 'rollback' || size > largestFile) return false;
  // closing any descriptor of a file drops the process's POSIX locks on it, so this one is closed after the lock
  const source = openSync(path, 'r');
  const target = openSync(copy, 'w', 0o600);
  try {
    const connection = new sqlite.DatabaseSync(path, { readOnly: true });
    try {
      connection.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
      const counter = changeCounter(source, path);
      const isWhole = copyWithin(source, target, performance.now() + longestLock);
      // if another descriptor was closed in a thread, the lock was lost
      return isWhole && changeCounter(source, path) === counter;
    } catch {
      // the database is locked, most of the time
      return false;
    } finally {
      connection.close();
    }
  } finally {
    closeSync(target);
    closeSync(source);
  }
}

function changeCounter(file: number, path: string): number {
  const bytes = Buffer.alloc(headerBytes);
  const length = readSync(file, bytes, 0, headerBytes, 0);
  return parseFileHeader(bytes.subarray(0, length), path).changeCounter;
}

/** Whether the whole file was copied before `end`. */
function copyWithin(source: number, target: number, end: number): boolean {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  for (let position = 0; performance.now() < end; ) {
    const length = readSync(source, chunk, 0, chunkBytes, position);
    if (length === 0) return true;
    for (let written = 0; written < length; ) written += writeSync(target, chunk, written, length - written);
    position += length;
  }
  return false;
}
