import { availableParallelism } from 'node:os';

/** Bounds of a `CodecPool`. */
export interface CodecLimits {
  /** Codecs that are alive at a time. */
  readonly running: number;
  /** Bodies that wait for one. */
  readonly waiting: number;
  /** Bytes of the bodies that wait. One body always may wait, whatever its size. */
  readonly waitingBytes: number;
}

export interface CodecFigures {
  readonly running: number;
  readonly waiting: number;
  /** Bodies that were not compressed because the queue was full. */
  readonly full: number;
  /** Bodies that were not compressed because every client that asked for them had gone. */
  readonly gone: number;
}

interface Job {
  readonly bytes: number;
  readonly isWanted: () => boolean;
  readonly compress: () => Promise<Buffer>;
  readonly resolve: (encoded: Promise<Buffer> | null) => void;
}

/**
 * Runs a few compressions at a time; others wait in a bounded queue. A codec holds several megabytes and a thread of
 * libuv's pool, which file access shares.
 */
export class CodecPool {
  readonly #limits: CodecLimits;
  #queue: Job[] = [];
  #queuedBytes = 0;
  #running = 0;
  #full = 0;
  #gone = 0;

  constructor(limits: CodecLimits) {
    this.#limits = limits;
  }

  get figures(): CodecFigures {
    return { running: this.#running, waiting: this.#queue.length, full: this.#full, gone: this.#gone };
  }

  /**
   * Compresses a body of so many bytes when a codec is free. Returns null if the queue is full. Resolves to null,
   * without compressing, if `isWanted` returns false when the turn of this body comes.
   */
  run(bytes: number, isWanted: () => boolean, compress: () => Promise<Buffer>): Promise<Buffer | null> | null {
    if (this.#running < this.#limits.running) return this.#start(compress);
    if (!this.#hasRoom(bytes)) this.#dropUnwanted();
    if (!this.#hasRoom(bytes)) {
      this.#full++;
      return null;
    }
    return new Promise((resolve) => {
      this.#queue.push({ bytes, isWanted, compress, resolve });
      this.#queuedBytes += bytes;
    });
  }

  #hasRoom(bytes: number): boolean {
    const { waiting, waitingBytes } = this.#limits;
    const { length } = this.#queue;
    return length < waiting && (length === 0 || this.#queuedBytes + bytes <= waitingBytes);
  }

  async #start(compress: () => Promise<Buffer>): Promise<Buffer> {
    this.#running++;
    try {
      return await compress();
    } finally {
      this.#running--;
      this.#startNext();
    }
  }

  #startNext(): void {
    while (this.#running < this.#limits.running) {
      const job = this.#queue.shift();
      if (!job) return;
      this.#queuedBytes -= job.bytes;
      if (job.isWanted()) job.resolve(this.#start(job.compress));
      else this.#drop(job);
    }
  }

  #dropUnwanted(): void {
    const all = this.#queue;
    this.#queue = all.filter((job) => job.isWanted());
    if (this.#queue.length === all.length) return;
    const kept = new Set(this.#queue);
    for (const job of all) {
      if (kept.has(job)) continue;
      this.#queuedBytes -= job.bytes;
      this.#drop(job);
    }
  }

  #drop({ resolve }: Job): void {
    this.#gone++;
    resolve(null);
  }
}

/** Returns the number of threads that libuv makes for this setting of UV_THREADPOOL_SIZE. */
export function threadsOf(setting: string | undefined): number {
  if (setting === undefined) return 4;
  const threads = Number.parseInt(setting, 10) || 1;
  return threads < 0 ? 1024 : Math.min(threads, 1024);
}

/** Leaves a thread for file access, and runs no more codecs than there are processors. */
export function codecsFor(threads: number, processors: number): number {
  return Math.max(1, Math.min(threads - 1, processors));
}

/** The pool of this process. All content in it shares the pool, as it shares the threads. */
export const codecs = new CodecPool({
  running: codecsFor(threadsOf(process.env.UV_THREADPOOL_SIZE), availableParallelism()),
  waiting: 256,
  waitingBytes: 32 * 2 ** 20,
});
