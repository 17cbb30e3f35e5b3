/** The code of a `LoadThread`: loads the snapshot of each task and sends it. */
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { SnapshotError } from '../base/errors.ts';
import { transferList } from '../image/describe-content.ts';
import { allocatorFor } from '../memory/allocator.ts';
import { type DescribedSnapshot, describeSnapshot } from './described-snapshot.ts';
import { loadSnapshot } from './load.ts';
import type { LoadMessage, LoadTask } from './load-in-thread.ts';

/**
 * Memory in one message. V8 collects garbage each time that a thread has received some 100 MB, so that one message with
 * all memory would stop the thread for several collections.
 */
const messageBytes = 2 ** 25;

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

/** Sends the memory piece by piece, the next one when the last one has been received, and then everything else. */
async function sendSnapshot({ content, ...rest }: DescribedSnapshot): Promise<void> {
  for (const buffers of piecesOf(content.buffers)) {
    const received = once(parentPort!, 'message');
    send({ kind: 'memory', buffers }, transferList({ ...content, buffers }));
    await received;
  }
  const { total_heap_size: heapBytes } = getHeapStatistics();
  send({ kind: 'loaded', snapshot: { ...rest, content: { ...content, buffers: [] } }, heapBytes });
}

/** Splits a list into pieces of `messageBytes`, or of one larger buffer. Keeps the order. */
function piecesOf(buffers: readonly ArrayBufferLike[]): ArrayBufferLike[][] {
  const pieces: ArrayBufferLike[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const buffer of buffers) {
    if (bytes + buffer.byteLength > messageBytes) {
      pieces.push([]);
      bytes = 0;
    }
    pieces.at(-1)!.push(buffer);
    bytes += buffer.byteLength;
  }
  return pieces;
}

function send(message: LoadMessage, transferred: ArrayBuffer[] = []): void {
  parentPort!.postMessage(message, transferred);
}
