/** Notices the commits of another process to a SQLite database, without opening it with SQLite and without a lock. */
import { type FSWatcher, realpathSync, statSync, watch } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { SourceAwayError } from '../../core/errors.ts';
import { fileError, headerBytes, parseFileHeader, readStart } from './file-header.ts';
import { journalPath, type RollbackJournal, readRollbackJournal } from './rollback-journal.ts';
import { type LogHeader, logPath, readLogHeader } from './write-ahead-log.ts';

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

/**
 * Milliseconds after which a write gives a file another time than the write before. Some file systems count in steps of two
 * seconds.
 */
const settling = 3000;
/** Milliseconds between two looks at the files, without and with a system that tells of writes. */
const lookInterval = { polled: 100, watched: 1000 };
/** Milliseconds from the first write of a transaction to the look, which shall find it committed. */
const writing = 20;
/** Milliseconds within which the system tells of a write that a look finds. */
const telling = 500;

/** Notices commits to one database after the other as `commitMark` does, with little work while nobody writes. */
export class WatchedDatabase {
  readonly #onWrite: () => void;
  readonly #settling: number;
  /** Sizes and times of the files, since when they are known, and when the state was read last. */
  #files = '';
  #since = 0;
  #readAt = 0;
  #lookedAt = 0;
  #path = '';
  #realPath = '';
  #state = '';
  /** Null if the system does not tell of writes. */
  #watcher: FSWatcher | null = null;
  #isWritten = false;
  #toldAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /**
   * `onWrite` is called soon after a write that the system tells of. Then, a look is due. The state is read at each look
   * until the files were the same for `settlingMilliseconds`.
   */
  constructor(onWrite: () => void, settlingMilliseconds = settling) {
    this.#onWrite = onWrite;
    this.#settling = settlingMilliseconds;
  }

  /** The milliseconds until a look at the state is due. */
  get untilLook(): number {
    const { polled, watched } = lookInterval;
    if (!this.#watcher) return polled;
    return this.#isWritten ? Math.max(writing, polled - (performance.now() - this.#lookedAt)) : watched;
  }

  /** Rejects as `commitMark` does. */
  async state(path: string): Promise<string> {
    this.#isWritten = false;
    const now = performance.now();
    this.#lookedAt = now;
    const files = filesOf(path, this.#realPath);
    if (files !== this.#files) {
      if (path === this.#path) this.#expectTold(now);
      this.#files = files;
      this.#since = now;
    } else if (this.#readAt - this.#since >= this.#settling) return this.#state;
    this.#state = await commitMark(path);
    const realPath = realpathSync(path);
    if (path !== this.#path || realPath !== this.#realPath) this.#watch(path, realPath);
    this.#readAt = now;
    return this.#state;
  }

  close(): void {
    this.#isClosed = true;
    this.#unwatch();
  }

  #watch(path: string, realPath: string): void {
    this.#unwatch();
    this.#path = path;
    this.#realPath = realPath;
    this.#files = filesOf(path, realPath);
    if (this.#isClosed) return;
    const name = basename(realPath);
    try {
      this.#watcher = watch(dirname(realPath), { persistent: false }, (_, file) => {
        if (file?.startsWith(name)) this.#written();
      });
      this.#watcher.on('error', () => this.#unwatch());
    } catch {
      // the files are looked at more often
    }
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = null;
  }

  /** Some systems tell of the writes of this machine alone, or of none. Then looks are frequent. */
  #expectTold(writtenAt: number): void {
    const watcher = this.#watcher;
    setTimeout(() => {
      if (this.#watcher === watcher && this.#toldAt < writtenAt - telling) this.#unwatch();
    }, telling).unref();
  }

  #written(): void {
    this.#toldAt = performance.now();
    if (this.#isWritten) return;
    this.#isWritten = true;
    setTimeout(this.#onWrite, this.untilLook).unref();
  }
}

/** SQLite writes to one of these files at each commit. A link may lead to another file by now. */
function filesOf(path: string, realPath: string): string {
  return [path, journalPath(realPath), logPath(realPath)].map((file) => `${file} ${timesOf(file)}`).join('\n');
}

function timesOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}` : 'missing';
}
