import type { Logger } from 'pino';
import { backOff } from '../core/back-off.ts';
import { SnapshotError, SourceAwayError } from '../core/errors.ts';
import type { LoadedAccess, LoadedSnapshot } from '../load/loaded.ts';
import { RetryPauses } from './pauses.ts';
import { problemOf, type SourceFreshness } from './source-freshness.ts';

interface FirstLoadOptions {
  readonly freshness: SourceFreshness;
  readonly log: Logger;
  readonly now: () => number;
  load(): Promise<LoadedSnapshot>;
}

/** Shorter than those of a content that is served. In milliseconds. */
const pauses = { first: 500, last: 5000 };

/** The first load of a source. Nothing of the source is served yet. */
export class FirstLoad {
  readonly #options: FirstLoadOptions;
  #retries: RetryPauses | null = null;
  #isClosed = false;
  /** The last attempt. */
  loaded!: Promise<LoadedSnapshot>;
  /** When it began. */
  readAt!: number;
  /** The last access that the reader has reported. */
  access: LoadedAccess | null = null;

  constructor(options: FirstLoadOptions) {
    this.#options = options;
    this.#begin();
  }

  /** Resolves when the source is loaded. While it is away, loads it again for some seconds. Rejects with a SnapshotError. */
  async patiently(seconds: number): Promise<LoadedSnapshot> {
    const { freshness, log } = this.#options;
    const end = performance.now() + seconds * 1000;
    this.#retries = new RetryPauses((failures) => Math.min(backOff(failures, pauses), end - performance.now()));
    let warned: string | null = null;
    for (; ; this.#begin()) {
      this.#retries.begin();
      try {
        return await this.loaded;
      } catch (error) {
        if (!(error instanceof SourceAwayError) || this.#isClosed) throw error;
        const problem = problemOf(error);
        if (performance.now() >= end)
          throw new SnapshotError([`${problem}. The start waited ${seconds} s for it (follow.startSeconds)`]);
        freshness.failed(problem);
        if (problem !== warned)
          log.warn(`the start waits up to ${seconds} s for its source (follow.startSeconds): ${problem}`);
        warned = problem;
        await this.#retries.wait();
        if (this.#isClosed) throw error;
      }
    }
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
    this.readAt = this.#options.now();
    this.loaded = this.#options.load();
    // whoever awaits it later gets the error
    this.loaded.catch(() => {});
  }
}
