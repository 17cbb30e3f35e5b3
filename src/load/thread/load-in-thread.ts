import { Worker } from 'node:worker_threads';
import { SnapshotError } from '../../core/errors.ts';
import { EndedEarly, receiveMemory } from '../../core/memory/send-memory.ts';
import {
  type DescribedSnapshot,
  errorOf,
  type LoadFailure,
  type ThreadOptions,
  withBuffers,
} from './described-snapshot.ts';

/** What the thread sends last. The memory of the snapshot came before. */
export type LoadMessage =
  | { readonly kind: 'loaded'; readonly snapshot: DescribedSnapshot; readonly heapBytes: number }
  | LoadFailure;

export interface LoadTask {
  readonly source: string;
  readonly options: ThreadOptions;
}

/** A thread with a larger heap ends after its load, because it would keep the heap. In bytes. */
const maxKeptHeap = 2 ** 27;

/**
 * A thread that loads snapshots, one at a time, so that this one goes on serving. After its first load, a small
 * snapshot takes a third of the time that it takes in a new thread. Works in the built package only, because Node 20
 * runs no TypeScript.
 */
export class LoadThread {
  #worker: Worker | null = null;

  /** Starts the thread ahead of a load, unless it runs. It does not keep the process alive. */
  start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./load-thread.js', import.meta.url));
    worker.unref();
    // without a listener, an error between loads would end the process
    worker.on('error', () => {});
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    this.#worker = worker;
    return worker;
  }

  /**
   * Loads a snapshot as `loadSnapshot` does. The result is for `attachSnapshot`. Rejects with a SnapshotError, also if
   * the thread ends early or runs out of memory. Must not be called during a load.
   */
  async load(source: string, options: ThreadOptions): Promise<DescribedSnapshot> {
    const worker = this.start();
    worker.ref();
    const task: LoadTask = { source, options };
    worker.postMessage(task);
    const { last: message, buffers } = await receive(worker, source).finally(() => worker.unref());
    if (message.kind !== 'loaded') throw errorOf(message);
    if (message.heapBytes > maxKeptHeap) await this.end();
    return withBuffers(message.snapshot, buffers);
  }

  async end(): Promise<void> {
    await this.#worker?.terminate();
  }
}

/** Loads a snapshot in a thread that ends then. */
export async function loadInThread(source: string, options: ThreadOptions): Promise<DescribedSnapshot> {
  const thread = new LoadThread();
  try {
    return await thread.load(source, options);
  } finally {
    await thread.end();
  }
}

/** Receives what the thread sends. Rejects with a SnapshotError if it ends early. */
async function receive(worker: Worker, source: string): ReturnType<typeof receiveMemory<LoadMessage>> {
  try {
    return await receiveMemory<LoadMessage>(worker);
  } catch (error) {
    throw asLoadProblem(error, source);
  }
}

/** Returns an error of `receiveMemory` as a SnapshotError if the thread that loads a source has ended early. */
export function asLoadProblem(error: unknown, source: string): unknown {
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new SnapshotError([`${source}: ${outOfMemory}`]);
  }
  if (!(error instanceof EndedEarly)) return error;
  return new SnapshotError([`${source}: the thread that loads it ended early, with code ${error.exitCode}`]);
}

const outOfMemory =
  'loading it takes more heap than Node may use. Raise the limit with NODE_OPTIONS=--max-old-space-size=MEGABYTES';
