/** Reads the start of a SQLite database file without SQLite. https://www.sqlite.org/fileformat.html */
import { type BigIntStats, closeSync, openSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { SnapshotError, SourceAwayError } from '../../../core/errors.ts';

/** Bytes of the header at the start of the file. */
export const headerBytes = 100;
const magic = Buffer.from('SQLite format 3\0');
/** Offsets of the bytes that say how to write and read the file: 1 with a rollback journal, 2 with a write-ahead log. */
const writeVersionOffset = 18;
const pageSizeOffset = 16;
const reservedBytesOffset = 20;
const changeCounterOffset = 24;
const pageCountCounterOffset = 92;

interface FileHeader {
  /** Bytes of a page, as the file claims. */
  readonly pageSize: number;
  /** Bytes at the end of each page that hold none of its content. */
  readonly reservedBytes: number;
  readonly journalMode: 'rollback' | 'wal';
  /** Changes at each commit, unless there is a write-ahead log. */
  readonly changeCounter: number;
}

/** `bytes` is the start of the file, or all of it. Throws a SnapshotError if it is no database. */
export function parseFileHeader(bytes: Buffer, path: string): FileHeader {
  if (bytes.length === 0) {
    throw new SourceAwayError([`${path}: the file is empty; Strapi creates its tables when it starts`]);
  }
  if (bytes.length < headerBytes || !bytes.subarray(0, magic.length).equals(magic)) {
    throw new SnapshotError([`${path}: not a SQLite 3 database, or an encrypted one`]);
  }
  const pageSize = bytes.readUInt16BE(pageSizeOffset);
  return {
    // 65,536 does not fit in two bytes
    pageSize: pageSize === 1 ? largestPage : pageSize,
    reservedBytes: bytes[reservedBytesOffset],
    journalMode: bytes[writeVersionOffset] === 2 ? 'wal' : 'rollback',
    changeCounter: bytes.readUInt32BE(changeCounterOffset),
  };
}

const largestPage = 2 ** 16;

/** Whether SQLite can have written pages of this size, which is a power of 2. */
export function isPageSize(bytes: number): boolean {
  return isPowerOfTwo(bytes) && bytes >= 512 && bytes <= largestPage;
}

/** Whether SQLite can have written a rollback journal for a disk with sectors of this size. */
export function isSectorSize(bytes: number): boolean {
  return isPowerOfTwo(bytes) && bytes >= 32 && bytes <= 2 ** 16;
}

function isPowerOfTwo(value: number): boolean {
  return (value & (value - 1)) === 0;
}

/** The bytes that tell SQLite to read the file without a write-ahead log, and their offset. */
export const withoutLog = { bytes: Buffer.of(1, 1), offset: writeVersionOffset };

/**
 * Gives a database file another change counter, so that a connection that stays open reads it anew. The header also holds
 * the counter for which its number of pages is right.
 */
export function setChangeCounter(path: string, counter: number): void {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(counter);
  const file = openSync(path, 'r+');
  try {
    for (const offset of [changeCounterOffset, pageCountCounterOffset]) writeSync(file, bytes, 0, bytes.length, offset);
  } finally {
    closeSync(file);
  }
}

/** Opens a file for reading. Returns null if there is no such file. */
export async function openIfExists(path: string): Promise<FileHandle | null> {
  try {
    return await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Returns the first `length` bytes of a file, or all if it is shorter, with its stats. Null if there is no such file. */
export async function readStart(path: string, length: number): Promise<{ bytes: Buffer; stats: BigIntStats } | null> {
  const file = await openIfExists(path);
  if (!file) return null;
  try {
    const stats = await file.stat({ bigint: true });
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return { bytes: buffer.subarray(0, bytesRead), stats };
  } finally {
    await file.close();
  }
}

const missing = 'no such file';

const sentences: Record<string, string> = {
  ENOENT: missing,
  ENOTDIR: missing,
  EISDIR: 'a folder; name the database file in it',
  EACCES: 'this process may not read or write it',
  EPERM: 'this process may not read or write it',
  ENOSPC: 'no space is left for a copy of the database',
  EDQUOT: 'no space is left for a copy of the database',
};

/**
 * Returns a SnapshotError for an error of the file system. It names the file that the error names, otherwise `path`, or
 * `folder` where the disk of the copy is full. A missing file is a SourceAwayError. Returns other errors unchanged.
 */
export function fileError(error: unknown, path: string, folder = path): unknown {
  const { code, message, path: place } = error as NodeJS.ErrnoException;
  if (code === undefined || error instanceof SnapshotError) return error;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new SnapshotError([`${folder}: ${sentences[code]} ${path}`]);
  const problem = `${place ?? path}: ${sentences[code] ?? message}`;
  return sentences[code] === missing ? new SourceAwayError([problem]) : new SnapshotError([problem]);
}
