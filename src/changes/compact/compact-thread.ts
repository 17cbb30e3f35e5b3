/** The code of the thread that compacts: it sends the new base of one task, or writes its image, and ends. */
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { allocatorFor } from '../../core/memory/allocator.ts';
import { sendMemory } from '../../core/memory/send-memory.ts';
import type { ImageContent } from '../../load/image/content.ts';
import { attachContent, describeContent } from '../../load/image/describe-content.ts';
import { writeImage } from '../../load/image/write-image.ts';
import { attachChanges } from '../../store/overlay/attach-changes.ts';
import { hasChanges } from '../../store/segment.ts';
import type { CompactionMessage, CompactionTask } from './compact-in-thread.ts';
import { compactStore } from './compact-store.ts';

// Threads that answer requests go first. Only Linux has priorities of threads.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);

const [task] = (await once(parentPort!, 'message')) as [CompactionTask];
try {
  const content = await compact(task);
  if (task.image !== null) {
    const { bytes } = await writeImage(task.image, content);
    send({ kind: 'written', bytes });
  } else {
    const { manifest, buffers } = describeContent(content);
    await sendMemory(parentPort!, buffers);
    send({ kind: 'compacted', content: { manifest, buffers: [] } });
  }
} catch (error) {
  send({ kind: 'failed', error });
}

async function compact({ content, changes, isShared, image }: CompactionTask): Promise<ImageContent> {
  const { store: base, ...rest } = attachContent(content);
  const store = attachChanges(base, changes);
  if (image !== null && !store.segments.some(hasChanges)) return { ...rest, store };
  return { ...rest, store: await compactStore(store, rest.facts, allocatorFor(isShared)) };
}

function send(message: CompactionMessage): void {
  parentPort!.postMessage(message);
}
