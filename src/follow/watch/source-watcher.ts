import { watch } from 'node:fs';
import { basename, relative } from 'node:path';
import { watch as watchFiles } from 'chokidar';
import type { Logger } from 'pino';
import { isSystemFile } from '../../load/files.ts';
import { InterruptiblePause } from '../pauses.ts';
import { type SourcePath, sourcePath } from './source-path.ts';
import { isUnwatched, sourceSignature } from './source-signature.ts';

/** A source counts as written when its signature has not changed for this time. */
const settleMilliseconds = 500;

/** Pauses before the next attempts after a failed load, in milliseconds. */
const retryMilliseconds = [1000, 2000, 4000];

interface Watcher {
  close(): unknown;
}

interface WatcherOptions {
  /** The result of `sourceSignature` before the served content was loaded. */
  readonly loaded: string | null;
  /** Loads the source. Rejects if it does not load, and reports that unless it will be tried again (`isFinal`). */
  reload(isFinal: boolean): Promise<unknown>;
  readonly log: Logger;
  readonly settle?: number;
  readonly retries?: readonly number[];
}

/**
 * Reloads a source when it changes: when its file or folder is written or replaced, or a link on the path to it moves.
 * Events only start a check; the signature of the source decides. A source that disappears is watched for its
 * return.
 */
export class SourceWatcher {
  readonly #source: string;
  readonly #options: WatcherOptions;
  readonly #settle: number;
  readonly #retries: readonly number[];
  readonly #pause = new InterruptiblePause();
  /** The signature at the last load that succeeded, or that failed after all attempts. */
  #known: string | null;
  #isMissing = false;
  #hasChanged = false;
  #isChecking = false;
  #isClosed = false;
  #watchers: Watcher[] = [];
  /** `SourcePath.key` of the path that is watched; null before the first. */
  #watched: string | null = null;

  constructor(source: string, options: WatcherOptions) {
    this.#source = source;
    this.#options = options;
    this.#known = options.loaded;
    this.#settle = options.settle ?? settleMilliseconds;
    this.#retries = options.retries ?? retryMilliseconds;
  }

  /** Begins to watch. Resolves when every later change is noticed. */
  async start(): Promise<void> {
    await this.#watch();
    this.#changed();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pause.end();
    await this.#closeWatchers();
  }

  readonly #changed = (): void => {
    this.#hasChanged = true;
    if (!this.#isChecking) void this.#checkChanges();
  };

  async #checkChanges(): Promise<void> {
    this.#isChecking = true;
    while (this.#hasChanged && !this.#isClosed) {
      this.#hasChanged = false;
      await this.#check();
      if (!this.#isClosed) await this.#watch();
    }
    this.#isChecking = false;
  }

  async #check(): Promise<void> {
    const { log } = this.#options;
    const signature = await this.#settledSignature();
    if (this.#isClosed) return;
    if (signature === null) {
      if (!this.#isMissing) log.error(`${this.#source} is gone: the old content is served until it is back`);
      this.#isMissing = true;
      return;
    }
    if (this.#isMissing) log.info(`${this.#source} is back`);
    this.#isMissing = false;
    if (signature !== this.#known) await this.#load(signature);
  }

  /** Returns the signature once two reads of it agree. */
  async #settledSignature(): Promise<string | null> {
    let last = await sourceSignature(this.#source);
    for (;;) {
      await this.#pause.wait(this.#settle);
      const signature = await sourceSignature(this.#source);
      if (signature === last || this.#isClosed) return signature;
      last = signature;
    }
  }

  /** Tries to load until it succeeds, the source changes again or all attempts have failed. */
  async #load(signature: string): Promise<void> {
    for (const pause of [...this.#retries, null]) {
      const isLoaded = await this.#options.reload(pause === null).then(
        () => true,
        () => false,
      );
      if (isLoaded || pause === null) {
        this.#known = signature;
        return;
      }
      await this.#pause.wait(pause);
      if (this.#isClosed) return;
      if ((await sourceSignature(this.#source)) !== signature) {
        this.#hasChanged = true;
        return;
      }
    }
  }

  /**
   * Watches the path to the source and, if it is a folder, the files in it. Does nothing if the path is watched already.
   */
  async #watch(): Promise<void> {
    const path = await sourcePath(this.#source);
    if (path.key === this.#watched) return;
    await this.#closeWatchers();
    if (this.#isClosed) return;
    this.#watched = path.key;
    for (const [folder, names] of foldersOf(path)) this.#watchPath(folder, names);
    // a file may be a mount, whose writes are events of another folder
    if (path.end && !path.end.isFolder) this.#watchPath(path.end.path, null);
    if (path.end?.isFolder) await this.#watchFiles(path.end.path);
    // what changed before the watchers were ready
    this.#hasChanged = true;
  }

  /**
   * Watches a file, or the entries of a folder that have one of these names. Not with chokidar, which reads every entry
   * of a folder when any of them changes: 17,000 beside the snapshot took 200 ms each time.
   */
  #watchPath(path: string, names: ReadonlySet<string> | null): void {
    try {
      const watcher = watch(path, (_event, name) => {
        if (!names || name === null || names.has(name)) this.#changed();
      });
      watcher.on('error', this.#report);
      this.#watchers.push(watcher);
    } catch (error) {
      // the check that follows notices a removed path
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#report(error);
    }
  }

  async #watchFiles(folder: string): Promise<void> {
    const ignored = (path: string) => {
      const name = relative(folder, path);
      return isUnwatched(name) || isSystemFile(name);
    };
    const watcher = watchFiles(folder, { ignored, ignoreInitial: true, followSymlinks: false });
    this.#watchers.push(watcher);
    watcher.on('all', this.#changed).on('error', this.#report);
    await new Promise<void>((resolve) => watcher.once('ready', resolve));
  }

  readonly #report = (error: unknown): void => {
    const { message } = error as Error;
    this.#options.log.error(`${this.#source} cannot be watched: ${message}. Send SIGHUP after each change`);
  };

  async #closeWatchers(): Promise<void> {
    await Promise.all(this.#watchers.splice(0).map((watcher) => watcher.close()));
  }
}

/** Returns the names on the path to a source, by the folders that have them. */
function foldersOf({ steps }: SourcePath): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  for (const { folder, path } of steps) folders.set(folder, (folders.get(folder) ?? new Set()).add(basename(path)));
  return folders;
}
