import { SnapshotError } from '../../core/errors.ts';
import { CacheError } from './cache-folder.ts';
import { endUse } from './folder-uses.ts';
import { missingFromArchive } from './missing-files.ts';
import { type Archive, unpack } from './unpack.ts';

/** Whether a file is unpacked, missing from the archive, or still to be unpacked. */
export type FileState = 'ready' | 'missing' | 'pending';

/** The files of an archive that are unpacked in the background while content is served. */
export interface UnpackedFiles {
  /** The folder of the unpacked files. Known when the first is ready. */
  readonly folder: string | null;
  /** Resolves with warnings when no more files will be unpacked. */
  readonly settled: Promise<string[]>;
  /** Returns the state of a file. Waits at most `milliseconds` for it to be unpacked. */
  state(name: string, milliseconds: number): Promise<FileState>;
  /** Waits for the end of unpacking, then removes the folder unless others use it. It stays if it cannot be removed. */
  release(): Promise<void>;
}

/** Unpacks the files of an archive. */
export class Unpacking implements UnpackedFiles {
  folder: string | null = null;
  readonly settled: Promise<string[]>;
  readonly #names: ReadonlySet<string>;
  readonly #ready = new Set<string>();
  readonly #waiters = new Map<string, Set<(state: FileState) => void>>();
  #isSettled = false;

  constructor(archive: Archive, cache: string | undefined) {
    this.#names = archive.names;
    const listener = {
      started: (folder: string) => void (this.folder = folder),
      unpacked: (name: string) => this.#unpacked(name),
    };
    const run = archive.names.size > 0 ? unpack(archive, cache, listener) : Promise.resolve();
    this.settled = run.then(
      () => this.#settle(missingFromArchive(archive.names, this.#ready)),
      (error) => this.#settle([failureWarning(error)]),
    );
  }

  async state(name: string, milliseconds: number): Promise<FileState> {
    if (this.#ready.has(name)) return 'ready';
    if (this.#isSettled || !this.#names.has(name)) return 'missing';
    const waiters = this.#waiters.get(name) ?? new Set();
    this.#waiters.set(name, waiters);
    return new Promise((resolve) => {
      const notify = (state: FileState) => {
        clearTimeout(timer);
        waiters.delete(notify);
        resolve(state);
      };
      const timer = setTimeout(notify, milliseconds, 'pending').unref();
      waiters.add(notify);
    });
  }

  async release(): Promise<void> {
    await this.settled;
    if (this.folder !== null) await endUse(this.folder).catch(() => {});
  }

  #unpacked(name: string): void {
    this.#ready.add(name);
    this.#notify(name, 'ready');
  }

  #settle(warnings: string[]): string[] {
    this.#isSettled = true;
    for (const name of [...this.#waiters.keys()]) this.#notify(name, 'missing');
    return warnings;
  }

  #notify(name: string, state: FileState): void {
    for (const notify of this.#waiters.get(name) ?? []) notify(state);
    this.#waiters.delete(name);
  }
}

function failureWarning(error: unknown): string {
  const isExpected = error instanceof CacheError || error instanceof SnapshotError;
  const reason =
    isExpected || (error instanceof Error && 'syscall' in error) ? (error as Error).message : String(error);
  return `some uploaded files could not be unpacked and are not served: ${reason}`;
}
