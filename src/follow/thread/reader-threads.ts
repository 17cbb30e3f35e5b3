import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';

/** The `workerData` of the thread of a reader. */
export interface ReaderStart {
  /** The URL of a `ReaderModule`. */
  readonly readers: string;
  /** Takes a `ReadTask` for each load, and sends memory and then a `LoadMessage`. */
  readonly loads: MessagePort;
}

/** A thread for a reader. It learns its source with the first load. */
export interface ReaderThread {
  readonly worker: Worker;
  readonly loads: MessagePort;
}

/**
 * Starts the threads of readers. One may start ahead of its source, and loads its modules beside this thread. Works in the
 * built package only, because Node 20 runs no TypeScript.
 */
export class ReaderThreads {
  #ahead: ReaderThread | null = null;

  /** Starts the thread that `take` returns first. It does not keep the process alive. */
  startAhead(): void {
    this.#ahead ??= startReaderThread();
  }

  /** Returns a thread that belongs to the caller. */
  take(): ReaderThread {
    const thread = this.#ahead ?? startReaderThread();
    this.#ahead = null;
    return thread;
  }

  /** Ends the thread that has started ahead, if nothing has taken it. */
  async endUnused(): Promise<void> {
    const unused = this.#ahead;
    this.#ahead = null;
    await unused?.worker.terminate();
  }
}

const code = new URL('./reader-worker.js', import.meta.url);
const readers = new URL('../create-reader.js', import.meta.url).href;

function startReaderThread(): ReaderThread {
  const { port1: loads, port2 } = new MessageChannel();
  const start: ReaderStart = { readers, loads: port2 };
  const worker = new Worker(code, { workerData: start, transferList: [port2] });
  worker.unref();
  return { worker, loads };
}
