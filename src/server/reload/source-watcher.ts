import { basename, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type FSWatcher, watch } from 'chokidar';
import type { Logger } from 'pino';
import { isSystemFile } from '../../load/files.ts';
import { type SourcePath, sourcePath } from './source-path.ts';
import { isUnwatched, sourceSignature } from './source-signature.ts';

/** A source counts as written when its signature has not changed for this time. */
const settleMilliseconds = 500;

/** Pauses before further attempts to load a source that does not load, in milliseconds. */
const retryMilliseconds = [1000, 2000, 4000];

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
 * Reloads a source when it changes: a file or folder that is written or replaced, and links on the way to it that are
 * moved. Events only start a check; the signature of the source decides. A source that disappears is watched for its
 * return.
 */
export class SourceWatcher {
  readonly #source: string;
  readonly #options: WatcherOptions;
  readonly #settle: number;
  readonly #retries: readonly number[];
  /** The signature of the last source that was loaded, or refused for good. */
  #known: string | null;
  #isMissing = false;
  #hasChanged = false;
  #isChecking = false;
  #isClosed = false;
  #watchers: FSWatcher[] = [];
  /** `SourcePath.key` of the way that is watched. */
  #watched = '';
  /** The names on that way. */
  #names: ReadonlySet<string> = new Set();

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

  /** Returns the signature when it is the same twice. */
  async #settledSignature(): Promise<string | null> {
    let last = await sourceSignature(this.#source);
    for (;;) {
      await this.#pause(this.#settle);
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
      await this.#pause(pause);
      if (this.#isClosed) return;
      if ((await sourceSignature(this.#source)) !== signature) {
        this.#hasChanged = true;
        return;
      }
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    await setTimeout(milliseconds, undefined, { ref: false });
  }

  /**
   * Watches the way to the source and, if it is a folder, the files in it. Does nothing if the way is watched already.
   */
  async #watch(): Promise<void> {
    const path = await sourcePath(this.#source);
    if (path.key === this.#watched && this.#watchers.length > 0) return;
    await this.#closeWatchers();
    this.#watched = path.key;
    this.#names = new Set(path.steps.map((step) => basename(step.path)));
    this.#watchers = watchersOf(path);
    await Promise.all(this.#watchers.map((watcher) => this.#listen(watcher)));
    // what changed before the watchers were ready
    this.#hasChanged = true;
  }

  async #listen(watcher: FSWatcher): Promise<void> {
    watcher.on('all', this.#changed);
    // an entry that is replaced by another of its kind is no event of chokidar
    watcher.on('raw', (_event, name) => {
      if (this.#names.has(name)) this.#changed();
    });
    watcher.on('error', (error) => {
      const { message } = error as Error;
      this.#options.log.error(`${this.#source} cannot be watched: ${message}. Send SIGHUP after each change`);
    });
    await new Promise<void>((resolve) => watcher.once('ready', resolve));
  }

  async #closeWatchers(): Promise<void> {
    await Promise.all(this.#watchers.splice(0).map((watcher) => watcher.close()));
  }
}

/**
 * Returns a watcher for each folder on the way, as chokidar loses events if one watcher has a folder and its parent.
 */
function watchersOf({ steps, end }: SourcePath): FSWatcher[] {
  const common = { ignoreInitial: true, followSymlinks: false };
  const watchers = Array.from(new Set(steps.map(({ folder }) => folder)), (folder) => {
    const watched = new Set([folder, ...steps.filter((step) => step.folder === folder).map(({ path }) => path)]);
    return watch(folder, { ...common, depth: 0, ignored: (path) => !watched.has(path) });
  });
  if (!end?.isFolder) return watchers;
  const isIgnored = (path: string) => {
    const name = relative(end.path, path);
    return isUnwatched(name) || isSystemFile(name);
  };
  return [...watchers, watch(end.path, { ...common, ignored: isIgnored })];
}
