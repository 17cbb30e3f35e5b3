import { open, readdir, rename, rm } from 'node:fs/promises';
import { LockError, lockFile } from '../../core/lock-file.ts';
import type { WritableFile, WritingFiles } from '../../core/write-file.ts';
import { JournalError } from './errors.ts';

/** What a journal uses of the file system: functions of `node:fs/promises`, and a lock. Tests simulate it. */
export interface FileLayer extends WritingFiles {
  open(path: string, flags: string): Promise<JournalFile>;
  readdir(path: string): Promise<string[]>;
  /** Locks a file against other processes and returns a function that unlocks it. Rejects if it is locked. */
  lock(path: string): Promise<() => Promise<void>>;
}

export interface JournalFile extends WritableFile {
  stat(): Promise<{ readonly size: number }>;
  read(bytes: Uint8Array, start: number, length: number, position: number): Promise<{ bytesRead: number }>;
  truncate(length: number): Promise<void>;
  datasync(): Promise<void>;
}

export const nodeFiles: FileLayer = { open, readdir, rename, rm, lock: lockJournal };

/** A read of 2 GiB or more ends the process. */
const maxReadBytes = 2 ** 30;

/** Reads the bytes from `start` to `end`, or up to the end of the file. */
export async function readRange(file: JournalFile, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, Math.min(bytes.length - length, maxReadBytes), start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** Locks the file of a journal. Rejects with a JournalError. */
async function lockJournal(path: string): Promise<() => Promise<void>> {
  return lockFile(path).catch((error: Error) => {
    if (!(error instanceof LockError)) throw error;
    throw new JournalError(error.isInUse ? `${error.message}. Only one process may use a journal` : error.message);
  });
}
