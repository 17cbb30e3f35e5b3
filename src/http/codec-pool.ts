import { availableParallelism } from 'node:os';

/** Bounds of a `CodecPool`. */
export interface CodecLimits {
  /** Maximum number of concurrent compressions. */
  readonly running: number;
  /** Maximum number of queued bodies. */
  readonly waiting: number;
  /** Maximum total size of queued bodies. A body of any size is accepted into an empty queue. */
  readonly waitingBytes: number;
}

export interface CodecFigures {
  readonly running: number;
  readonly waiting: number;
  /** Bodies that were not compressed because the queue was full. */
  readonly full: number;
  /** Bodies that were not compressed because every client had disconnected. */
  readonly gone: number;
}

interface Job {
  readonly bytes: number;
  readonly isWanted: () => boolean;
  readonly compress: () => Promise<Buffer>;
  readonly resolve: (encoded: Promise<Buffer> | null) => void;
}

/**
 * Runs a few compressions at a time and queues the others in a bounded queue. A running codec occupies several
 * megabytes and a thread of libuv's pool, which file access shares.
 */
export class CodecPool {
  #limits: CodecLimits;
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

  /** Keeps one thread's share of the limits, if several threads compress. */
  divide(threads: number): void {
    const share = (limit: number) => Math.max(1, Math.floor(limit / threads));
    const { running, waiting, waitingBytes } = this.#limits;
    this.#limits = { running: share(running), waiting: share(waiting), waitingBytes: share(waitingBytes) };
  }

  /**
   * Compresses a body of `bytes` bytes when a codec is free. Returns null if the queue is full. Resolves to null
   * without compressing if `isWanted` returns false when the body reaches the head of the queue.
   */
  compress(bytes: number, isWanted: () => boolean, compress: () => Promise<Buffer>): Promise<Buffer | null> | null {
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

/** Returns the size of libuv's thread pool for this value of UV_THREADPOOL_SIZE. */
export function threadPoolSize(setting: string | undefined): number {
  if (setting === undefined) return 4;
  const threads = Number.parseInt(setting, 10) || 1;
  return threads < 0 ? 1024 : Math.min(threads, 1024);
}

/** Returns the number of concurrent codecs: at most one per processor, with one thread left for file access. */
export function maxCodecs(threads: number, processors: number): number {
  return Math.max(1, Math.min(threads - 1, processors));
}

/** The pool of this thread, shared by all content because the thread pool is shared too. */
export const codecs = new CodecPool({
  running: maxCodecs(threadPoolSize(process.env.UV_THREADPOOL_SIZE), availableParallelism()),
  waiting: 256,
  waitingBytes: 32 * 2 ** 20,
});
