import type { Logger } from 'pino';
import { backOff } from '../core/back-off.ts';
import { SnapshotError, SourceAwayError } from '../core/errors.ts';
import type { LoadedSnapshot } from '../load/loaded.ts';
import { InterruptiblePause } from './interruptible-pause.ts';
import { messageOf } from './source-failures.ts';
import type { SourceFreshness } from './source-freshness.ts';

/** In milliseconds. */
const pauses = { first: 500, last: 5000 };

interface Patience {
  /** For how long a source that is away is loaded again. */
  readonly seconds: number;
  readonly freshness: SourceFreshness;
  readonly log: Logger;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/**
 * Returns the result of `first`, a load that has begun, or of later loads while the source is away. A load that has begun
 * is not ended. Rejects with a SnapshotError.
 */
export async function loadPatiently(
  first: Promise<LoadedSnapshot>,
  load: () => Promise<LoadedSnapshot>,
  { seconds, freshness, log, signal }: Patience,
): Promise<LoadedSnapshot> {
  const end = performance.now() + seconds * 1000;
  let logged: string | null = null;
  for (let failures = 1, loading = first; ; failures++, loading = load()) {
    try {
      return await loading;
    } catch (error) {
      if (!(error instanceof SourceAwayError) || signal.aborted) throw error;
      const problem = messageOf(error);
      const left = end - performance.now();
      if (left <= 0)
        throw new SnapshotError([`${problem}. The start waited ${seconds} s for it (follow.startSeconds)`]);
      freshness.failed(problem);
      if (problem !== logged)
        log.warn(`the start waits up to ${seconds} s for its source (follow.startSeconds): ${problem}`);
      logged = problem;
      await new InterruptiblePause().wait(Math.min(backOff(failures, pauses), left), { keepsAlive: true, signal });
      if (signal.aborted) throw error;
    }
  }
}
