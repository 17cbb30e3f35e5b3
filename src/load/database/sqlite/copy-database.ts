/**
 * Copies a SQLite database that another process writes to. Copying takes no lock, so that writers neither fail nor wait,
 * unless a writer leaves no gap for several attempts: then it waits for a lock of at most 40 ms. What makes a copy
 * consistent without one:
 *
 * - **No journal.** A transaction writes to the file only while its rollback journal is hot, and its commit changes the
 *   counter in the header. If the journal is not hot before and after the bytes are copied, and the header is the same
 *   around that, no transaction wrote meanwhile.
 * - **The same hot journal.** The journal holds the original of each page before the page is written. If one transaction
 *   is under way the whole time, and its journal is read after the file, then rolling the copy back restores the state
 *   before it, however torn the copy is. A journal that a crash left is the same case.
 * - **A write-ahead log.** Until SQLite starts the log anew, with other salts, it only appends to it, and a checkpoint
 *   writes only pages that the log holds. If the log is read after the file and its header is the same around both, then
 *   its committed frames replace every page that a checkpoint wrote meanwhile.
 *
 * Otherwise the copy is made again. A program that uses the journal modes `memory` or `off` breaks the first rule.
 */
import { closeSync, constants, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { type FileHandle, mkdir, open, realpath } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { SnapshotError, SourceAwayError } from '../../../core/errors.ts';
import { writeWhole } from '../../../core/write-file.ts';
import { beginCopy, removeCopies } from '../copy-folder.ts';
import { type FileState, readFileState } from './commit-mark.ts';
import { nodeSqlite } from './drivers.ts';
import { fileError, headerBytes, parseFileHeader, withoutLog } from './file-header.ts';
import { applyJournal, readRollbackJournal } from './rollback-journal.ts';
import { applyLog } from './write-ahead-log.ts';

interface DatabaseCopy {
  readonly path: string;
  /** What `commitMark` returned when the copy was begun. The copy may be newer, never older. */
  readonly state: string;
}

interface CopyOptions {
  /** Milliseconds after which copying gives up, but not before some attempts. */
  readonly patience?: number;
  /** Whether a writer that leaves no gap may be made to wait, for less than 100 ms. */
  readonly lock?: boolean;
  /** Makes the file `to` equal to the file `from`. It may hold an earlier copy. */
  readonly copyFile?: (from: string, to: string) => Promise<void>;
}

const defaultPatience = 10_000;
/** Attempts without a lock. A writer that leaves no gap for all of them has to wait for a short lock. */
const attemptsWithoutLock = 5;
/** The first may take long, as it writes the whole file. Later ones write what differs. */
const fewestAttempts = 10;
const longestPause = 40;

/**
 * Copies the last committed state of the database at `path` to a file in `folder`. An earlier copy there becomes the new
 * one, which saves writes, so close it before. Creates the folder with the mode 0700. One call at a time may use a
 * folder. The copy needs no file beside it, and either driver reads it. Throws a SnapshotError if the file cannot be read
 * or is written to all the time.
 */
export async function copyDatabase(path: string, folder: string, options: CopyOptions = {}): Promise<DatabaseCopy> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const copy = await beginCopy(folder);
    return { path: copy, state: await copyPatiently(await realpath(path), copy, options) };
  } catch (error) {
    // the next call updates what a busy writer made inconsistent
    if (!(error instanceof SnapshotError)) await removeCopies(folder).catch(() => {});
    throw fileError(error, path, folder);
  }
}

async function copyPatiently(path: string, copy: string, options: CopyOptions): Promise<string> {
  const { patience = defaultPatience, lock = true } = options;
  const end = performance.now() + patience;
  for (let attempt = 1; ; attempt++) {
    const start = performance.now();
    const before = await readFileState(path);
    if (await copyOnce(path, copy, before, options)) return before.text;
    const duration = performance.now() - start;
    const mayLock = lock && attempt >= attemptsWithoutLock && before.journalMode === 'rollback';
    if (mayLock && duration < longestLock && copyUnderLock(path, copy)) return before.text;
    if (attempt >= fewestAttempts && performance.now() > end) {
      throw new SourceAwayError([`${path}: written to all the time; none of ${attempt} copies in a row is consistent`]);
    }
    // a random pause does not keep step with a writer
    await setTimeout(Math.random() * Math.max(longestPause, duration));
  }
}

/** Whether the copy is consistent. `before` was read before. */
async function copyOnce(path: string, copy: string, before: FileState, options: CopyOptions): Promise<boolean> {
  await (options.copyFile ?? updateCopy)(path, copy);
  if (before.log) await applyLog(path, before.log, copy);
  const journal = await readRollbackJournal(path);
  if (journal?.isHot) {
    if (before.journalMode === 'wal' || before.journal?.nonce !== journal.nonce) return false;
    await applyJournal(path, copy);
    const later = await readRollbackJournal(path);
    return later?.isHot === true && later.nonce === journal.nonce;
  }
  const after = await readFileState(path);
  if (before.journal?.isHot || after.journal?.isHot || before.generation !== after.generation) return false;
  if (before.journalMode === 'wal') await forgetLog(copy);
  return true;
}

/** Makes SQLite read the copy without a log, which WebAssembly could not share. */
async function forgetLog(copy: string): Promise<void> {
  const file = await open(copy, 'r+');
  try {
    await file.write(withoutLog.bytes, 0, withoutLog.bytes.length, withoutLog.offset);
  } finally {
    await file.close();
  }
}

/** Milliseconds that the lock is held at most. SQLite's own pauses between the tries of a writer add up to 25. */
const longestLock = 40;

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

const chunkBytes = 2 ** 20;
const blockBytes = 2 ** 14;
/** Bytes after which writes are put on disk. File systems make the commits of other files wait for more of them. */
const unsyncedBytes = 4 * chunkBytes;

/**
 * Makes a copy of a file equal to it again, or creates it. Writes only what differs, so that copying does not keep the
 * disk from others. Readers of the copy see the changes.
 */
async function updateCopy(path: string, copy: string): Promise<void> {
  const source = await open(path);
  try {
    const target = await open(copy, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      await updateChunks(source, target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function updateChunks(source: FileHandle, target: FileHandle): Promise<void> {
  const wanted = Buffer.allocUnsafe(chunkBytes);
  const present = Buffer.allocUnsafe(chunkBytes);
  let unsynced = 0;
  for (let position = 0; ; ) {
    const { bytesRead } = await source.read(wanted, 0, chunkBytes, position);
    if (bytesRead === 0) return target.truncate(position);
    const { bytesRead: bytesPresent } = await target.read(present, 0, bytesRead, position);
    for (const [start, end] of differences(wanted.subarray(0, bytesRead), present.subarray(0, bytesPresent))) {
      await writeWhole(target, wanted.subarray(start, end), position + start);
      unsynced += end - start;
    }
    if (unsynced > unsyncedBytes) {
      await target.datasync();
      unsynced = 0;
    }
    position += bytesRead;
  }
}

/**
 * Does the same in one turn, with open files. Returns false if it was not done before `end`, a time of
 * `performance.now()`, and throws what the file system throws.
 */
function updateCopyAtOnce(source: number, target: number, end: number): boolean {
  const wanted = Buffer.allocUnsafe(chunkBytes);
  const present = Buffer.allocUnsafe(chunkBytes);
  for (let position = 0; performance.now() < end; ) {
    const length = readSync(source, wanted, 0, chunkBytes, position);
    if (length === 0) {
      ftruncateSync(target, position);
      return true;
    }
    const lengthPresent = readSync(target, present, 0, length, position);
    for (const [from, to] of differences(wanted.subarray(0, length), present.subarray(0, lengthPresent))) {
      for (let at = from; at < to; ) at += writeSync(target, wanted, at, to - at, position + at);
    }
    position += length;
  }
  return false;
}

/** Yields the ranges of `wanted` that differ from `present`, in whole blocks. */
function* differences(wanted: Buffer, present: Buffer): Generator<[number, number]> {
  if (wanted.equals(present)) return;
  let start = -1;
  for (let at = 0; at < wanted.length; at += blockBytes) {
    const isSame = wanted.subarray(at, at + blockBytes).equals(present.subarray(at, at + blockBytes));
    if (!isSame && start < 0) start = at;
    if (isSame && start >= 0) {
      yield [start, at];
      start = -1;
    }
  }
  if (start >= 0) yield [start, wanted.length];
}
