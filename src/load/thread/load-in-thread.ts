import { Worker } from 'node:worker_threads';
import { type DescribedSnapshot, receiveSnapshot, type ThreadOptions } from './described-snapshot.ts';

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
    const task: LoadTask = { source, options };
    worker.postMessage(task);
    const { snapshot, heapBytes } = await receiveSnapshot(worker, source);
    if (heapBytes > maxKeptHeap) await this.end();
    return snapshot;
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
