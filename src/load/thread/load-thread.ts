/** The code of a `LoadThread`: loads the snapshot of each task and sends it. */
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { allocatorFor } from '../../core/memory/allocator.ts';
import { loadSnapshot } from '../load.ts';
import type { LoadMessage, LoadTask } from './load-in-thread.ts';
import { failureOf, sendSnapshot } from './load-messages.ts';

// Threads that answer requests go first. Only Linux has priorities of threads.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);

for (;;) {
  // the next task comes only after the last message of this one
  const [task] = (await once(parentPort!, 'message')) as [LoadTask];
  await load(task);
}

async function load({ source, options }: LoadTask): Promise<void> {
  try {
    const { isShared, ...rest } = options;
    const loaded = await loadSnapshot(source, { ...rest, allocator: allocatorFor(isShared) });
    const snapshot = await sendSnapshot(parentPort!, loaded);
    const { total_heap_size: heapBytes } = getHeapStatistics();
    send({ kind: 'loaded', snapshot, heapBytes });
  } catch (error) {
    send(failureOf(error));
  }
}

function send(message: LoadMessage): void {
  parentPort!.postMessage(message);
}
