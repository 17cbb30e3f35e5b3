/** The code of the thread that compacts: it sends the new base of its task, or writes its image. */
import { parentPort } from 'node:worker_threads';
import { allocatorFor } from '../../core/memory/allocator.ts';
import { sendMemory } from '../../core/memory/send-memory.ts';
import { lowerPriority, runTasks } from '../../core/threads.ts';
import { attachContent, describeContent, type ImageContent } from '../../load/image/describe-content.ts';
import { writeImage } from '../../load/image/write-image.ts';
import { hasChanges } from '../../store/segment.ts';
import type { CompactionMessage, CompactionTask } from './compact-in-thread.ts';
import { compactStore } from './compact-store.ts';

lowerPriority();

await runTasks(parentPort!, run);

async function run(task: CompactionTask): Promise<CompactionMessage> {
  try {
    const content = await compact(task);
    if (task.image !== null) {
      const { bytes } = await writeImage(task.image, content);
      return { kind: 'written', bytes };
    }
    const { manifest, buffers } = describeContent(content);
    await sendMemory(parentPort!, buffers);
    return { kind: 'compacted', content: { manifest, buffers: [] } };
  } catch (error) {
    return { kind: 'failed', error };
  }
}

async function compact({ content, isShared, image }: CompactionTask): Promise<ImageContent> {
  const { store, ...rest } = attachContent(content);
  if (image !== null && !store.segments.some(hasChanges)) return { ...rest, store };
  return { ...rest, store: await compactStore(store, rest.facts, allocatorFor(isShared)) };
}
