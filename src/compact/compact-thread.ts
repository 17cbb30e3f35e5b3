/** The code of the thread that compacts: it sends the new base of one task, and ends. */
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { attachChanges } from '../build/attach-changes.ts';
import { attachContent, type DescribedContent, describeContent } from '../image/describe-content.ts';
import { allocatorFor } from '../memory/allocator.ts';
import { sendMemory } from '../memory/send-memory.ts';
import type { CompactionMessage, CompactionTask } from './compact-in-thread.ts';
import { compactStore } from './compact-store.ts';

// Threads that answer requests go first. Only Linux has priorities of threads.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);

const [task] = (await once(parentPort!, 'message')) as [CompactionTask];
try {
  const { manifest, buffers } = await compact(task);
  await sendMemory(parentPort!, buffers);
  send({ kind: 'compacted', content: { manifest, buffers: [] } });
} catch (error) {
  send({ kind: 'failed', error });
}

async function compact({ content, changes, isShared }: CompactionTask): Promise<DescribedContent> {
  const { store: base, ...rest } = attachContent(content);
  const store = await compactStore(attachChanges(base, changes), rest.facts, allocatorFor(isShared));
  return describeContent({ ...rest, store });
}

function send(message: CompactionMessage): void {
  parentPort!.postMessage(message);
}
