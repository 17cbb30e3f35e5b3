import type { ServerResponse } from 'node:http';

/** For at most so long does a reply wait for others, in milliseconds. */
const longestWait = 1;

interface Waiting {
  readonly response: ServerResponse;
  readonly body: Buffer | undefined;
  readonly done: (() => void) | undefined;
}

let waiting: Waiting[] = [];
/** When the first of them came. */
let since = 0;

/**
 * Ends a response, whose head is written, together with those that are ready in the same turn of the event loop. A
 * write to a client who sleeps wakes the client, which takes longer than all else that is done for a small reply; of
 * replies that are written one behind the other mostly the first one does. `done` is called when the system has the
 * body, or the connection is gone.
 */
export function endBatched(response: ServerResponse, body: Buffer | undefined, done?: () => void): void {
  const now = performance.now();
  if (waiting.length === 0) {
    since = now;
    setImmediate(flushReplies);
  }
  waiting.push({ response, body, done });
  if (now - since > longestWait) flushReplies();
}

/** Ends all responses that wait for others. */
export function flushReplies(): void {
  const all = waiting;
  waiting = [];
  for (const { response, body, done } of all) response.end(body, done);
}
