import type { Logger } from 'pino';
import { messageOf, SnapshotError } from '../core/errors.ts';
import type { SourceFreshness } from './source-freshness.ts';

/** Logs why a source cannot be followed, each reason once until the source is read again. */
export class SourceFailures {
  readonly #log: Logger;
  readonly #freshness: SourceFreshness;
  /** The message of the last failure; null after a success. */
  #last: string | null = null;

  constructor(log: Logger, freshness: SourceFreshness) {
    this.#log = log;
    this.#freshness = freshness;
  }

  /** The next failure with this error is logged by whoever asked for the reading. */
  isReported(error: unknown): void {
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

  /** The content is that of the source at this time. */
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
