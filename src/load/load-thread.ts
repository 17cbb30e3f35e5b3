/** The entry of a thread that loads a snapshot and hands it over. */
import { parentPort, workerData } from 'node:worker_threads';
import { SnapshotError } from '../base/errors.ts';
import { takeApart } from '../image/parts.ts';
import { contentOf } from './image-snapshot.ts';
import { loadSnapshot } from './load.ts';
import type { LoadedMessage, LoadRequest } from './load-in-thread.ts';

async function load({ source, options }: LoadRequest): Promise<LoadedMessage> {
  try {
    const loaded = await loadSnapshot(source, options);
    const { uploadedFiles } = loaded;
    return { kind: 'loaded', parts: takeApart(contentOf(loaded, options.mediaUrl)), uploadedFiles };
  } catch (error) {
    if (error instanceof SnapshotError) return { kind: 'refused', problems: error.problems, count: error.count };
    throw error;
  }
}

const message = await load(workerData as LoadRequest);
const buffers = message.kind === 'loaded' ? message.parts.arrays.map(({ buffer }) => buffer) : [];
// shared memory is not transferred, but seen by both threads
parentPort!.postMessage(
  message,
  [...new Set(buffers)].filter((buffer) => buffer instanceof ArrayBuffer),
);
