/** Notices the commits of another process to a SQLite database, without opening it with SQLite and without a lock. */
import { realpath } from 'node:fs/promises';
import { SourceAwayError } from '../../../core/errors.ts';
import { fileError, headerBytes, parseFileHeader, readStart } from './file-header.ts';
import { type RollbackJournal, readRollbackJournal } from './rollback-journal.ts';
import { type LogHeader, readLogHeader } from './write-ahead-log.ts';

/** Bytes of a header of the shared memory beside a write-ahead log. It counts transactions. */
const sharedHeaderBytes = 48;

/** What the files of a database are like at a time. */
export interface FileState {
  /** Differs after each commit. May differ without one, for example after a checkpoint that ends the log. */
  readonly text: string;
  /**
   * Without a log, differs after each commit. With one, differs when SQLite starts the log anew. Until then, SQLite
   * writes only pages of the log to the database file.
   */
  readonly generation: string;
  readonly size: number;
  readonly journalMode: 'rollback' | 'wal';
  readonly journal: RollbackJournal | null;
  readonly log: LogHeader | null;
}

/**
 * Returns a short text that changes whenever a transaction is committed to the database at `path`. It may also change
 * without a commit. Cheap enough to be called ten times a second. Throws a SnapshotError if there is no database, a
 * SourceAwayError if no file.
 */
export async function commitMark(path: string): Promise<string> {
  try {
    return (await readFileState(await realpath(path))).text;
  } catch (error) {
    throw fileError(error, path);
  }
}

const underWay = ' journal ';

/** Whether a state is that of a transaction that may have written to the file and is not committed. */
export function isUnderWay(state: string): boolean {
  return state.includes(underWay);
}

/** `path` has no symbolic links, as SQLite names the files beside the database after the real path. */
export async function readFileState(path: string): Promise<FileState> {
  const start = await readStart(path, headerBytes);
  if (!start) throw new SourceAwayError([`${path}: no such file`]);
  const { size, mtimeNs, ino } = start.stats;
  const { journalMode, pageSize, changeCounter } = parseFileHeader(start.bytes, path);
  const log = journalMode === 'wal' ? await readLogHeader(path, pageSize) : null;
  const shared = log && (await readStart(`${path}-shm`, sharedHeaderBytes));
  const journal = await readRollbackJournal(path);
  const written = log
    ? `log ${log.header.generation} ${shared ? shared.bytes.toString('hex') : log.sizeAndTime}`
    : `${size} ${mtimeNs} ${changeCounter}`;
  const text = `${ino} ${written}${journal?.isHot ? `${underWay}${journal.nonce}` : ''}`;
  return {
    text,
    generation: log ? `${ino} ${log.header.generation}` : text,
    size: Number(size),
    journalMode,
    journal,
    log: log?.header ?? null,
  };
}
