import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { backOff } from '../core/back-off.ts';
import { SnapshotError, SourceAwayError, UnpublishedError } from '../core/errors.ts';
import { allocatorFor } from '../core/memory/allocator.ts';
import { type LoadedAccess, type LoadedSnapshot, loadSettingsOf } from '../load/loaded.ts';
import type { Config } from '../model/settings/config.ts';
import { RetryPauses } from './pauses.ts';
import type { ContentCache } from './source-cache.ts';
import { problemOf, type SourceFreshness } from './source-freshness.ts';

export interface StartOptions {
  /** The name of the source in messages. */
  readonly name: string;
  readonly settings: Config;
  /** Whether several threads answer requests. */
  readonly isShared: boolean;
  readonly log: Logger;
  /** Null: nothing is kept over a restart. */
  readonly cache: ContentCache | null;
  /** How long a start waits for the source if the cache has content of it, in milliseconds. Default: 5 seconds. */
  readonly patience?: number;
  readonly now?: () => number;
}

interface FirstLoadOptions extends StartOptions {
  readonly freshness: SourceFreshness;
  load(): Promise<LoadedSnapshot>;
}

const defaultPatience = 5000;

/** Pauses between attempts. Nothing is served meanwhile, so they are short. In milliseconds. */
const pauses = { first: 500, last: 5000 };

/** An attempt that lasts longer has reached its source, and is not waited for. In milliseconds. */
const reachingTime = 10_000;

/** The first load of a source. Nothing of the source is served yet. */
export class FirstLoad {
  readonly #options: FirstLoadOptions;
  #retries: RetryPauses | null = null;
  #isClosed = false;
  #begunAt = 0;
  /** The last attempt. */
  loaded!: Promise<LoadedSnapshot>;
  /** When it began. */
  readAt!: number;
  /** Whether `result` has returned content of the cache. */
  isCached = false;
  /** The last access that the reader has reported. */
  access: LoadedAccess | null = null;

  constructor(options: FirstLoadOptions) {
    this.#options = options;
    this.#begin();
  }

  /**
   * Returns the content of the source. If the source fails or takes long, returns that of the cache. If the cache has none,
   * waits up to `follow.startSeconds` for a source that is away, and without a limit for one that has no content yet. Rejects
   * with a SnapshotError.
   */
  async result(): Promise<LoadedSnapshot> {
    const { cache, isShared, freshness, log, name, settings } = this.#options;
    const problem = cache && (await this.#waitFor(this.loaded));
    if (cache && problem === null) return this.loaded;
    const kept = await cache?.load({ ...loadSettingsOf(settings), allocator: allocatorFor(isShared) });
    if (!kept) return this.#loadPatiently(settings.follow.startSeconds);
    this.isCached = true;
    freshness.kept(kept.readAt);
    const readAt = new Date(kept.readAt).toISOString();
    log.warn({ readAt }, `content from the cache is served until ${name} can be read: ${problem}`);
    return kept.loaded;
  }

  /** The source may be readable now. */
  signOfLife(): void {
    this.#retries?.signOfLife();
  }

  /** Ends a pause between two attempts. Does not abort a load. */
  close(): void {
    this.#isClosed = true;
    this.#retries?.end();
  }

  #begin(): void {
    this.readAt = (this.#options.now ?? Date.now)();
    this.#begunAt = performance.now();
    this.loaded = this.#options.load();
    // whoever awaits it later gets the error
    this.loaded.catch(() => {});
  }

  /** Returns why the load did not succeed in time, or null. */
  async #waitFor(loading: Promise<unknown>): Promise<string | null> {
    const patience = this.#options.patience ?? defaultPatience;
    const slow = setTimeout(patience, 'reading it takes its time', { ref: false });
    return Promise.race([loading.then(() => null, problemOf), slow]);
  }

  /** Loads again while the source is away, for some seconds. */
  async #loadPatiently(seconds: number): Promise<LoadedSnapshot> {
    const { freshness, log } = this.#options;
    let left = seconds * 1000;
    this.#retries = new RetryPauses((failures) => Math.min(backOff(failures, pauses), left));
    let warned: string | null = null;
    for (; ; this.#begin()) {
      this.#retries.begin();
      try {
        return await this.loaded;
      } catch (error) {
        if (!(error instanceof SourceAwayError) || this.#isClosed) throw error;
        const problem = problemOf(error);
        const failedAt = performance.now();
        const lasted = failedAt - this.#begunAt;
        if (lasted < reachingTime) left -= lasted;
        // a publisher may be started at any time
        if (error instanceof UnpublishedError) left = Number.POSITIVE_INFINITY;
        if (left <= 0)
          throw new SnapshotError([`${problem}. The start waited ${seconds} s for it (follow.startSeconds)`]);
        freshness.failed(problem);
        if (problem !== warned) {
          const limit = Number.isFinite(left)
            ? `up to ${seconds} s for its source (follow.startSeconds)`
            : 'for its source';
          log.warn(`the start waits ${limit}: ${problem}`);
        }
        warned = problem;
        await this.#retries.wait();
        left -= performance.now() - failedAt;
        if (this.#isClosed) throw error;
      }
    }
  }
}
