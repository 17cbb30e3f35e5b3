/** The header of a SQLite database file, read without SQLite. https://www.sqlite.org/fileformat.html */
import { SnapshotError } from '../../base/errors.ts';

/** Bytes of the header at the start of the file. */
export const headerBytes = 100;
const magic = Buffer.from('SQLite format 3\0');
/** Offsets of the bytes that say how to write and read the file: 1 with a rollback journal, 2 with a write-ahead log. */
const writeVersionOffset = 18;
const changeCounterOffset = 24;

export interface FileHeader {
  readonly journalMode: 'rollback' | 'wal';
  /** Changes at each commit, unless there is a write-ahead log. */
  readonly changeCounter: number;
}

/** `bytes` is the start of the file, or all of it. Throws a SnapshotError if it is no database. */
export function parseFileHeader(bytes: Buffer, path: string): FileHeader {
  if (bytes.length === 0) {
    throw new SnapshotError([`${path}: the file is empty; Strapi creates its tables when it starts`]);
  }
  if (bytes.length < headerBytes || !bytes.subarray(0, magic.length).equals(magic)) {
    throw new SnapshotError([`${path}: not a SQLite 3 database, or an encrypted one`]);
  }
  return {
    journalMode: bytes[writeVersionOffset] === 2 ? 'wal' : 'rollback',
    changeCounter: bytes.readUInt32BE(changeCounterOffset),
  };
}

/** The bytes that tell SQLite to read the file without a write-ahead log, and their offset. */
export const withoutLog = { bytes: Buffer.of(1, 1), offset: writeVersionOffset };
