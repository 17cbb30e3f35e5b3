/** The code of a `LoadThread`: loads the snapshot of each task and sends it. */
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { SnapshotError } from '../../base/errors.ts';
import { allocatorFor } from '../../memory/allocator.ts';
import { sendMemory } from '../../memory/send-memory.ts';
import { loadSnapshot } from '../load.ts';
import { type DescribedSnapshot, describeSnapshot } from './described-snapshot.ts';
import type { LoadMessage, LoadTask } from './load-in-thread.ts';

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
    await sendSnapshot(describeSnapshot(loaded, options.mediaUrl));
  } catch (error) {
    if (error instanceof SnapshotError) send({ kind: 'refused', problems: error.problems, count: error.count });
    else send({ kind: 'failed', error });
  }
}

/** Sends the memory, and then everything else. */
async function sendSnapshot({ content, ...rest }: DescribedSnapshot): Promise<void> {
  await sendMemory(parentPort!, content.buffers);
  const { total_heap_size: heapBytes } = getHeapStatistics();
  send({ kind: 'loaded', snapshot: { ...rest, content: { ...content, buffers: [] } }, heapBytes });
}

function send(message: LoadMessage): void {
  parentPort!.postMessage(message);
}
