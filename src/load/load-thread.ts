/** The code of the thread that `loadInThread` starts: loads one snapshot and sends it. */
import { parentPort, workerData } from 'node:worker_threads';
import { SnapshotError } from '../base/errors.ts';
import { transferList } from '../image/describe-content.ts';
import { allocatorFor } from '../memory/allocator.ts';
import { describeSnapshot } from './described-snapshot.ts';
import { loadSnapshot } from './load.ts';
import type { LoadMessage, ThreadOptions } from './load-in-thread.ts';

const { source, options } = workerData as { source: string; options: ThreadOptions };

try {
  const { isShared, ...rest } = options;
  const loaded = await loadSnapshot(source, { ...rest, allocator: allocatorFor(isShared) });
  const snapshot = describeSnapshot(loaded, options.mediaUrl);
  send({ kind: 'loaded', snapshot }, transferList(snapshot.content));
} catch (error) {
  if (error instanceof SnapshotError) send({ kind: 'refused', problems: error.problems, count: error.count });
  else send({ kind: 'failed', error });
}

function send(message: LoadMessage, transferred: ArrayBuffer[] = []): void {
  parentPort!.postMessage(message, transferred);
}
