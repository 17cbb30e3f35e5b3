import { Worker } from 'node:worker_threads';
import type { BirpcReturn } from 'birpc';
import { callThread } from '../../core/threads.ts';
import type { Samples } from '../metrics/metrics.ts';
import type { CoordinatorFunctions, ThreadFunctions, ThreadStart } from './messages.ts';

/**
 * Maximum size of young objects in MiB. Under 100,000 different URLs, a thread with the default of Node 24 takes 50 MiB
 * more.
 */
const maxYoungGenerationSizeMb = 24;

/** A thread that answers requests, as the coordinating thread sees it. */
export class AnsweringThread {
  /** Calls are rejected when the thread has ended. */
  readonly functions: BirpcReturn<ThreadFunctions, CoordinatorFunctions>;
  /** Resolves when the thread has ended, with the error that ended it if there was one. */
  readonly ended: Promise<Error | null>;
  readonly #worker: Worker;
  readonly #started = performance.now();
  #samples: Samples = [];
  #hasEnded = false;

  constructor(start: ThreadStart, coordinator: CoordinatorFunctions) {
    const options = { workerData: start, resourceLimits: { maxYoungGenerationSizeMb } };
    const worker = new Worker(new URL('./worker.js', import.meta.url), options);
    this.#worker = worker;
    let end: (error: Error | null) => void;
    this.ended = new Promise((resolve) => (end = resolve));
    this.functions = callThread(worker, coordinator, (error) => {
      this.#hasEnded = true;
      end(error);
      return error ?? new Error(`thread ${start.number} has ended`);
    });
  }

  /** Returns the metrics of the thread, the last known ones if it has ended. */
  async samples(): Promise<Samples> {
    try {
      this.#samples = await this.functions.samples();
    } catch (error) {
      if (!this.#hasEnded) throw error;
    }
    return this.#samples;
  }

  /** The last metrics that `samples` returned. */
  get lastSamples(): Samples {
    return this.#samples;
  }

  /** Milliseconds since its start. */
  get age(): number {
    return performance.now() - this.#started;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }
}
