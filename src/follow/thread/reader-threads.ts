import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Source } from '../source-reader.ts';

type Kind = Source['kind'];

/** The `workerData` of the thread of a reader. */
export interface ReaderStart {
  readonly kind: Kind;
  /** The URL of a `ReaderModule`. */
  readonly readers: string;
  /** Takes a `ReadTask` for each load, and sends memory and then a `LoadMessage`. */
  readonly loads: MessagePort;
}

/** A thread for a reader of a kind of source. It learns its source with the first load. */
export interface ReaderThread {
  readonly kind: Kind;
  readonly worker: Worker;
  readonly loads: MessagePort;
}

/**
 * Starts the threads of readers. One may start ahead of its source, and loads its modules beside this thread. Works in the
 * built package only, because Node 20 runs no TypeScript.
 */
export class ReaderThreads {
  #ahead: ReaderThread | null = null;

  /** Starts a thread that the first `take` of its kind returns. It does not keep the process alive. */
  startAhead(kind: Kind): void {
    this.#ahead ??= startReaderThread(kind);
  }

  /** Returns a thread that belongs to the caller. */
  take(kind: Kind): ReaderThread {
    const thread = this.#ahead;
    if (thread?.kind !== kind) return startReaderThread(kind);
    this.#ahead = null;
    return thread;
  }

  /** Ends the thread that has started ahead, unless it is of one of these kinds. */
  async endUnless(kinds: readonly Kind[]): Promise<void> {
    const thread = this.#ahead;
    if (!thread || kinds.includes(thread.kind)) return;
    this.#ahead = null;
    await thread.worker.terminate();
  }
}

const code = new URL('./reader-worker.js', import.meta.url);
const ofDatabases = new URL('../project/create-reader.js', import.meta.url);

/** A thread loads the module of its kind only: a reader of a publication needs no parser of Strapi's configuration. */
const readers: Record<Kind, URL> = {
  project: ofDatabases,
  database: ofDatabases,
  rest: new URL('../rest/create-reader.js', import.meta.url),
  publication: new URL('../publication/create-reader.js', import.meta.url),
};

function startReaderThread(kind: Kind): ReaderThread {
  const { port1: loads, port2 } = new MessageChannel();
  const start: ReaderStart = { kind, readers: readers[kind].href, loads: port2 };
  const worker = new Worker(code, { workerData: start, transferList: [port2] });
  worker.unref();
  return { kind, worker, loads };
}
