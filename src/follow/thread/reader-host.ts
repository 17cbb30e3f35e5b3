import { setTimeout } from 'node:timers/promises';
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
import type { ReaderThread, ReaderThreads } from './reader-threads.ts';

/** A load that the thread is asked for. The source is the same each time. */
export interface ReadTask {
  readonly source: Source;
  readonly options: ThreadOptions;
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

interface RunningThread extends ReaderThread {
  readonly functions: BirpcReturn<ReaderFunctions, ReadingEvents>;
}

/**
 * Reads a source in a thread, so that reading does not hold up requests. The thread of a Strapi has low priority. If the
 * thread ends, the next load starts another one.
 */
export class ReaderHost implements SourceReading {
  readonly #source: Source;
  readonly #name: string;
  readonly #events: ReadingEvents;
  readonly #threads: ReaderThreads;
  #thread: RunningThread | null = null;
  /** Ends a call of `next`. */
  #endNext: (error: Error) => void = () => {};
  #isClosed = false;

  /** `name` is that of the source in messages. */
  constructor(source: Source, name: string, events: ReadingEvents, threads: ReaderThreads) {
    this.#source = source;
    this.#name = name;
    this.#events = events;
    this.#threads = threads;
  }

  async load(options: ThreadOptions): Promise<LoadedSnapshot> {
    const { worker, loads } = this.#start();
    const task: ReadTask = { source: this.#source, options };
    loads.postMessage(task);
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
    const thread = this.#threads.take(this.#source.kind);
    const functions = callThread<ReaderFunctions, ReadingEvents>(thread.worker, this.#events, (error, exitCode) => {
      this.#thread = null;
      thread.loads.close();
      return this.#gone(error?.message ?? `the thread that reads it ended early, with code ${exitCode}`);
    });
    this.#thread = { ...thread, functions };
    return this.#thread;
  }

  #gone(reason: string): ReaderGone {
    return new ReaderGone([`${this.#name}: ${reason}`]);
  }
}
