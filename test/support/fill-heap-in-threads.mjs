/** Takes memory of the heap in small pieces, in every thread but the main one, until there is none left. */
import { isMainThread } from 'node:worker_threads';

if (!isMainThread) {
  for (let last = null; ; ) last = { last };
}
