/** How compactions ended, since the content was opened. */
export interface CompactionFigures {
  readonly counts: Readonly<Record<'finished' | 'abandoned' | 'failed', number>>;
  /** Duration of the last one that finished; null before the first. */
  readonly milliseconds: number | null;
  /** The reason in words, unless the last one finished. */
  readonly failure: string | null;
}

/** Runs compactions, one at a time, and records how they ended. */
export class CompactionRuns {
  readonly #now: () => number;
  readonly #counts = { finished: 0, abandoned: 0, failed: 0 };
  #milliseconds: number | null = null;
  #failure: string | null = null;
  #running: { readonly ended: Promise<void>; readonly controller: AbortController } | null = null;

  /** `now` returns milliseconds since any time. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get figures(): CompactionFigures {
    return { counts: { ...this.#counts }, milliseconds: this.#milliseconds, failure: this.#failure };
  }

  /** Settles when the running one has ended. Null if none is running. */
  get running(): Promise<void> | null {
    return this.#running?.ended ?? null;
  }

  /**
   * Runs a compaction, when none is running. Rejects as `compact` does, but resolves if that rejects after the signal was
   * aborted.
   */
  run(compact: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController();
    const ended = this.#run(compact, controller.signal);
    this.#running = { ended, controller };
    return ended;
  }

  /** Aborts the signal of the running compaction, and resolves when it has ended. */
  async abandon(): Promise<void> {
    const running = this.#running;
    running?.controller.abort();
    await running?.ended.catch(() => {});
  }

  async #run(compact: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const started = this.#now();
    try {
      await compact(signal);
      this.#counts.finished++;
      this.#milliseconds = Math.round(this.#now() - started);
      this.#failure = null;
    } catch (error) {
      if (signal.aborted) {
        this.#counts.abandoned++;
        return;
      }
      this.#counts.failed++;
      this.#failure = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      this.#running = null;
    }
  }
}
