/** The code of a `LoadThread`: loads the snapshot of each task and sends it. */
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { allocatorFor } from '../../core/memory/allocator.ts';
import { lowerPriority, runTasks } from '../../core/threads.ts';
import { loadSnapshot } from '../load.ts';
import { failureOf, sendSnapshot } from './described-snapshot.ts';
import type { LoadMessage, LoadTask } from './load-in-thread.ts';

lowerPriority();

await runTasks(parentPort!, load);

async function load({ source, options }: LoadTask): Promise<LoadMessage> {
  try {
    const { isShared, ...rest } = options;
    const loaded = await loadSnapshot(source, { ...rest, allocator: allocatorFor(isShared) });
    const snapshot = await sendSnapshot(parentPort!, loaded);
    const { total_heap_size: heapBytes } = getHeapStatistics();
    return { kind: 'loaded', snapshot, heapBytes };
  } catch (error) {
    return failureOf(error);
  }
}
