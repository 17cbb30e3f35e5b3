import { Worker } from 'node:worker_threads';
import { SnapshotError } from '../base/errors.ts';
import type { DescribedSnapshot } from './described-snapshot.ts';
import type { LoadOptions } from './loaded.ts';

/** The options of a load that can be sent to a thread. */
export interface ThreadOptions extends Pick<LoadOptions, 'tolerance' | 'dialect' | 'mediaUrl'> {
  /** Whether several threads will attach the snapshot. */
  readonly isShared: boolean;
}

/**
 * What the thread sends: memory, each time that the last has been received, and at the end the snapshot without buffers.
 * Or an error; one of another kind than `refused` is a defect.
 */
export type LoadMessage = { readonly kind: 'memory'; readonly buffers: readonly ArrayBufferLike[] } | LastMessage;

type LastMessage =
  | { readonly kind: 'loaded'; readonly snapshot: DescribedSnapshot }
  | { readonly kind: 'refused'; readonly problems: readonly string[]; readonly count: number }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Loads a snapshot as `loadSnapshot` does, in a thread of its own, so that this one goes on serving. The result is for
 * `attachSnapshot`. Rejects with a SnapshotError, also if the thread ends early or runs out of memory. Works in the
 * built package only, because Node 20 runs no TypeScript.
 */
export async function loadInThread(source: string, options: ThreadOptions): Promise<DescribedSnapshot> {
  const worker = new Worker(new URL('./load-thread.js', import.meta.url), { workerData: { source, options } });
  try {
    const buffers: ArrayBufferLike[] = [];
    const message = await lastMessage(worker, source, buffers);
    if (message.kind === 'loaded') {
      const { content, ...rest } = message.snapshot;
      return { ...rest, content: { ...content, buffers } };
    }
    if (message.kind === 'refused') throw new SnapshotError(message.problems, message.count);
    throw message.error;
  } finally {
    await worker.terminate();
  }
}

/** Adds the memory that is received to `buffers`. */
function lastMessage(worker: Worker, source: string, buffers: ArrayBufferLike[]): Promise<LastMessage> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: LoadMessage) => {
      if (message.kind !== 'memory') return resolve(message);
      buffers.push(...message.buffers);
      worker.postMessage('received');
    });
    worker.once('messageerror', reject);
    const refuse = (reason: string) => reject(new SnapshotError([`${source}: ${reason}`]));
    worker.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') refuse(outOfMemory);
      else reject(error);
    });
    // without effect after a message
    worker.once('exit', (code) => refuse(`the thread that loads it ended early, with code ${code}`));
  });
}

const outOfMemory =
  'loading it takes more heap than Node may use. Raise the limit with NODE_OPTIONS=--max-old-space-size=MEGABYTES';
