import type { ServerResponse } from 'node:http';

/** For at most so long does a reply wait for others, in milliseconds. */
const longestWait = 1;

interface Waiting {
  readonly response: ServerResponse;
  readonly body: Buffer | undefined;
}

let waiting: Waiting[] = [];
/** When the first of them came. */
let since = 0;

/**
 * Ends a response, whose head is written, together with those that are ready in the same turn of the event loop. A
 * write to a client who sleeps wakes the client, which takes longer than all else that is done for a small reply; of
 * replies that are written one behind the other mostly the first one does.
 */
export function endTogether(response: ServerResponse, body: Buffer | undefined): void {
  const now = performance.now();
  if (waiting.length === 0) {
    since = now;
    setImmediate(endAll);
  }
  waiting.push({ response, body });
  if (now - since > longestWait) endAll();
}

function endAll(): void {
  const all = waiting;
  waiting = [];
  for (const { response, body } of all) response.end(body);
}
