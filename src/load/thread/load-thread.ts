/** The code of a `LoadThread`: loads the snapshot of each task and sends it. */
import { parentPort } from 'node:worker_threads';
import { allocatorFor } from '../../core/memory/allocator.ts';
import { lowerPriority, runTasks } from '../../core/threads.ts';
import { loadSnapshot } from '../load.ts';
import { failureOf, type LoadMessage, sendSnapshot } from './described-snapshot.ts';
import type { LoadTask } from './load-in-thread.ts';

lowerPriority();

await runTasks(parentPort!, load);

async function load({ source, options }: LoadTask): Promise<LoadMessage> {
  try {
    const { isShared, ...rest } = options;
    const loaded = await loadSnapshot(source, { ...rest, allocator: allocatorFor(isShared) });
    return await sendSnapshot(parentPort!, loaded);
  } catch (error) {
    return failureOf(error);
  }
}
