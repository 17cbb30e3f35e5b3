/** How a server takes part in a process of several threads. */
import type { Samples } from './metrics/metrics.ts';
import type { ThreadFigures } from './metrics/server-state.ts';
import type { Operations } from './operations.ts';
import type { RateLimitMemory } from './rate-limit/rate-limit-store.ts';

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

/** The part of a server in its process. `counters` are those of the rate limit, which all threads share. */
export type ServerRole =
  /** The only thread. */
  | { readonly kind: 'alone' }
  /** The thread that opens the admin port, and leaves the main port to `threads`. */
  | {
      readonly kind: 'coordinator';
      readonly counters: RateLimitMemory | undefined;
      readonly threads: AnsweringThreads;
    }
  /** One of the threads that share the main port. It opens no admin port; `operations` are those of the process. */
  | {
      readonly kind: 'thread';
      readonly counters: RateLimitMemory | undefined;
      readonly operations: Operations;
    };
