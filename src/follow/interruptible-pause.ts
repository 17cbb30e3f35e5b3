interface PauseOptions {
  /** Whether the process stays alive for the pause. Default: it does not. */
  readonly keepsAlive?: boolean;
  /** Ends the pause when it is aborted. */
  readonly signal?: AbortSignal;
}

/** Pauses that can be ended early, all at once. */
export class InterruptiblePause {
  readonly #ends = new Set<() => void>();

  /** Resolves after the time, in milliseconds, or when `end` is called. */
  wait(milliseconds: number, { keepsAlive = false, signal }: PauseOptions = {}): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        this.#ends.delete(end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      if (!keepsAlive) timer.unref();
      signal?.addEventListener('abort', end);
      this.#ends.add(end);
    });
  }

  end(): void {
    for (const end of this.#ends) end();
  }
}
