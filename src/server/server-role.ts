/** How a server takes part in a process of several threads. */
import type { Samples } from './metrics.ts';
import type { Operations } from './operations.ts';
import type { RateLimitMemory } from './rate-limit-store.ts';
import type { ThreadFigures } from './scraped-metrics.ts';

/** Threads that answer the requests to the main port in place of the server that coordinates them. */
export interface AnsweringThreads {
  /** Rejects with a ListenError. */
  listen(): Promise<void>;
  readonly address: string;
  readonly figures: ThreadFigures;
  /** Returns the metrics of the process. `own` are those of this thread. */
  metrics(own: Samples): Promise<string>;
  /** Stops all threads as `LecternServer.stop` does. */
  stop(): Promise<void>;
}

/** The part of a server in a process of several threads. */
export interface ServerRole {
  /** The counters of the rate limit, which the threads share. */
  readonly counters?: RateLimitMemory;
  /** In the thread that coordinates. */
  readonly threads?: AnsweringThreads;
  /** In a thread that answers requests: the operations of the process. This thread opens no admin port. */
  readonly operations?: Operations;
}
