/** Notices the commits of another process to a SQLite database by its files. */
import { type FSWatcher, realpathSync, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { commitMark, isUnderWay } from '../../../load/database/sqlite/commit-mark.ts';
import { journalPath } from '../../../load/database/sqlite/rollback-journal.ts';
import { logPath } from '../../../load/database/sqlite/write-ahead-log.ts';
import type { ChangeWatch } from '../followed-database.ts';

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

/** Notices commits to a database as `commitMark` does, with little work while nobody writes. */
export class SqliteWatch implements ChangeWatch {
  readonly #path: string;
  readonly #onWrite: () => void;
  readonly #settling: number;
  /** Sizes and times of the files, since when they are known, and when the mark was read last. */
  #files = '';
  #since = 0;
  #readAt = 0;
  #lookedAt = 0;
  #realPath = '';
  #mark = '';
  /** Null if the system does not tell of writes. */
  #watcher: FSWatcher | null = null;
  #isWritten = false;
  #toldAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /**
   * `onWrite` is called soon after a write that the system tells of. Then, a look is due. The mark is read at each look
   * until the files were the same for `settlingMilliseconds`.
   */
  constructor(path: string, onWrite: () => void, settlingMilliseconds = settling) {
    this.#path = path;
    this.#onWrite = onWrite;
    this.#settling = settlingMilliseconds;
  }

  /** The milliseconds until a look is due. */
  get untilLook(): number {
    const { polled, watched } = lookInterval;
    if (!this.#watcher) return polled;
    return this.#isWritten ? Math.max(writing, polled - (performance.now() - this.#lookedAt)) : watched;
  }

  /** Rejects as `commitMark` does. */
  async mark(): Promise<string> {
    const path = this.#path;
    this.#isWritten = false;
    const now = performance.now();
    this.#lookedAt = now;
    const files = filesOf(path, this.#realPath);
    if (files !== this.#files) {
      if (this.#realPath !== '') this.#expectTold(now);
      this.#files = files;
      this.#since = now;
    } else if (this.#readAt - this.#since >= this.#settling) return this.#mark;
    this.#mark = await commitMark(path);
    const realPath = realpathSync(path);
    if (realPath !== this.#realPath) this.#watch(realPath);
    this.#readAt = now;
    return this.#mark;
  }

  isUnderWay(mark: string): boolean {
    return isUnderWay(mark);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unwatch();
  }

  #watch(realPath: string): void {
    this.#unwatch();
    this.#realPath = realPath;
    this.#files = filesOf(this.#path, realPath);
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
