import { setTimeout } from 'node:timers/promises';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { BirpcReturn } from 'birpc';
import { callThread } from '../../core/threads.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import {
  attachSnapshot,
  errorOf,
  type LoadFailure,
  receiveSnapshot,
  type ThreadOptions,
} from '../../load/thread/described-snapshot.ts';
import {
  type OnAccess,
  type OnUnchanged,
  type OnWarning,
  ReaderGone,
  type ReadingEvents,
  type Source,
  type SourceChange,
  type SourceReader,
  type SourceReading,
} from '../source-reader.ts';

/** The `workerData` of the thread. */
export interface ReaderStart {
  readonly source: Source;
  /** The URL of a `ReaderModule`. */
  readonly readers: string;
  /** Takes `ThreadOptions` for each load, and sends memory and then a `LoadMessage`. */
  readonly loads: MessagePort;
}

/** A module that makes readers. */
export interface ReaderModule {
  createReader(
    source: Source,
    onUnchanged: OnUnchanged,
    onAccess: OnAccess,
    onWarning: OnWarning,
  ): SourceReader | Promise<SourceReader>;
}

export type NextMessage = { readonly kind: 'next'; readonly change: SourceChange } | LoadFailure;

export interface ReaderFunctions {
  next(): Promise<NextMessage>;
  hint(body: unknown): void;
  /** Closes the reader. The next load makes another one. */
  reset(): Promise<void>;
}

/** Milliseconds for which a reader may close before its thread is ended. */
const closingTime = 2000;

interface RunningThread {
  readonly worker: Worker;
  readonly functions: BirpcReturn<ReaderFunctions, ReadingEvents>;
  readonly loads: MessagePort;
}

/**
 * Reads a source in a thread, for a Strapi of low priority, so that reading does not hold up requests. If the thread ends, the next load
 * starts another one. Works in the built package only, because Node 20 runs no TypeScript.
 */
export class ReaderHost implements SourceReading {
  readonly #source: Source;
  readonly #name: string;
  readonly #events: ReadingEvents;
  readonly #readers: URL;
  #thread: RunningThread | null = null;
  /** Ends a call of `next`. */
  #endNext: (error: Error) => void = () => {};
  #isClosed = false;

  /** `name` is that of the source in messages, `readers` the URL of a `ReaderModule`. */
  constructor(source: Source, name: string, events: ReadingEvents, readers: URL) {
    this.#source = source;
    this.#name = name;
    this.#events = events;
    this.#readers = readers;
  }

  async load(options: ThreadOptions): Promise<LoadedSnapshot> {
    const { worker, loads } = this.#start();
    loads.postMessage(options);
    const { snapshot } = await receiveSnapshot(worker, this.#name, loads);
    return attachSnapshot(snapshot);
  }

  async next(): Promise<SourceChange> {
    if (!this.#thread) throw this.#gone('the thread that reads it has ended');
    const ended = new Promise<never>((_, reject) => (this.#endNext = reject));
    const last = await Promise.race([this.#thread.functions.next(), ended]);
    if (last.kind !== 'next') throw errorOf(last);
    return last.change;
  }

  hint(body?: unknown): void {
    // a thread that ends meanwhile reads everything again
    void this.#thread?.functions.hint(body).catch(() => {});
  }

  async reset(): Promise<void> {
    if (!this.#thread) return;
    const { worker, functions } = this.#thread;
    const isReset = functions.reset().then(
      () => true,
      () => false,
    );
    const timer = new AbortController();
    // keeps a stopping process alive until the reader has removed its files
    const inTime = await Promise.race([isReset, setTimeout(closingTime, false, { signal: timer.signal })]);
    timer.abort();
    if (!inTime) await worker.terminate();
    this.#endNext(this.#gone('the reader was closed'));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.reset();
    await this.#thread?.worker.terminate();
  }

  #start(): RunningThread {
    if (this.#isClosed) throw this.#gone('reading it has ended');
    if (this.#thread) return this.#thread;
    const { port1: loads, port2 } = new MessageChannel();
    const start: ReaderStart = { source: this.#source, readers: this.#readers.href, loads: port2 };
    const worker = new Worker(new URL('./reader-worker.js', import.meta.url), {
      workerData: start,
      transferList: [port2],
    });
    worker.unref();
    const functions = callThread<ReaderFunctions, ReadingEvents>(worker, this.#events, (error, exitCode) => {
      this.#thread = null;
      loads.close();
      return this.#gone(error?.message ?? `the thread that reads it ended early, with code ${exitCode}`);
    });
    this.#thread = { worker, functions, loads };
    return this.#thread;
  }

  #gone(reason: string): ReaderGone {
    return new ReaderGone([`${this.#name}: ${reason}`]);
  }
}
