import type { Logger } from 'pino';
import type { Freshness } from '../content/registry/content-source.ts';
import { messageOf, SnapshotError } from '../core/errors.ts';

/** Keeps how fresh the content of a source is. Times are in milliseconds since 1970. */
export class SourceFreshness {
  readonly #source: string;
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  #readAt: number | null = null;
  #lag: number | null = null;
  #error: Freshness['error'] = null;
  #failuresInARow = 0;
  #failures = 0;
  #batches = 0;
  /** Whether the source is a copy of a database, which may lag behind. */
  isStandby = false;
  #reloads = 0;

  /** `source` is its name without secrets. */
  constructor(source: string, now: () => number = Date.now) {
    this.#source = source;
    this.#now = now;
  }

  get figures(): Freshness {
    return {
      source: this.#source,
      readAt: this.#readAt,
      lag: this.#lag,
      error: this.#error,
      failuresInARow: this.#failuresInARow,
      failures: this.#failures,
      batches: this.#batches,
      isStandby: this.isStandby,
      reloads: this.#reloads,
    };
  }

  /** Content of the cache is served, which was read at this time. */
  kept(readAt: number): void {
    this.#readAt = readAt;
  }

  /** The served content equals the source at this time. */
  read(readAt: number): void {
    this.#readAt = Math.max(readAt, this.#readAt ?? readAt);
    this.#error = null;
    this.#failuresInARow = 0;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Calls the listener after each `read`. Returns a function that ends the calls. */
  onRead(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A change is served that was made or noticed at this time; null if unknown. */
  served(kind: 'batch' | 'reload', changedAt: number | null): void {
    if (kind === 'batch') this.#batches++;
    else this.#reloads++;
    // clocks of two machines differ
    if (changedAt !== null) this.#lag = Math.max(0, this.#now() - changedAt);
  }

  failed(message: string): void {
    this.#error = { message, at: this.#now() };
    this.#failuresInARow++;
    this.#failures++;
  }
}

/** Logs why a source cannot be followed. A reason is logged when it differs from the last one. */
export class SourceFailures {
  readonly #log: Logger;
  readonly #freshness: SourceFreshness;
  /** The message of the last failure; null after a success. */
  #last: string | null = null;

  constructor(log: Logger, freshness: SourceFreshness) {
    this.#log = log;
    this.#freshness = freshness;
  }

  /** The caller of `reload` logs this error itself, so the next one like it is not logged. */
  noteReported(error: unknown): void {
    this.#last = problemOf(error);
  }

  add(error: unknown): void {
    const message = problemOf(error);
    this.#freshness.failed(message);
    if (this.#last === message) return;
    this.#last = message;
    const details = error instanceof SnapshotError ? {} : { err: error };
    this.#log.error(details, `the content stays as it is, and its source is tried again: ${message}`);
  }

  /** The content equals the source at this time. */
  end(readAt: number): void {
    this.#freshness.read(readAt);
    if (this.#last !== null) this.#log.info('the source is read again');
    this.#last = null;
  }
}

/** Returns the only problem of a SnapshotError, or the message of any other error. */
export function problemOf(error: unknown): string {
  return error instanceof SnapshotError && error.count === 1 ? error.problems[0] : messageOf(error);
}
