import type { ServerProcess } from './server-process.ts';

const MiB = 2 ** 20;

/** Settings of the server that bound memory, smaller than by default where that makes the bound sharper. */
export const memorySettings = { cacheBytes: 64 * MiB, connections: { unsentBytes: 64 * MiB } };

/** Maximum memory besides the content, as listed in docs/memory.md. */
const budgets = {
  'kept replies': memorySettings.cacheBytes,
  'replies that wait for slow clients': memorySettings.connections.unsentBytes,
  'prepared queries': 16 * MiB,
  'rows by status, locale and publication': 16 * MiB,
};

/** Allowance for memory that no budget counts: young objects, codecs, buffers of connections, freed pages. */
const fixedBytes = 256 * MiB;

const sampleMilliseconds = 1000;

/** Resident memory of the server, sampled every second and compared with its budgets. */
export class Memory {
  readonly #server: ServerProcess;
  readonly #timer: NodeJS.Timeout;
  readonly #samples: { second: number; bytes: number }[] = [];
  readonly loadedBytes: number;
  readonly limit: number;
  readonly #started = performance.now();

  constructor(server: ServerProcess) {
    this.#server = server;
    this.loadedBytes = server.residentBytes;
    this.limit = this.loadedBytes + Object.values(budgets).reduce((sum, bytes) => sum + bytes, fixedBytes);
    this.#timer = setInterval(() => this.#sample(), sampleMilliseconds);
  }

  get highest(): number {
    return this.#samples.reduce((highest, { bytes }) => Math.max(highest, bytes), this.loadedBytes);
  }

  get latest(): number {
    return this.#samples.at(-1)?.bytes ?? this.loadedBytes;
  }

  end(): void {
    clearInterval(this.#timer);
  }

  summary(): string {
    const mebibytes = (bytes: number) => `${(bytes / MiB).toFixed(0)} MiB`;
    const levels = `${mebibytes(this.loadedBytes)} when loaded, at most ${mebibytes(this.highest)}, ${mebibytes(this.latest)} at the end`;
    return `memory: ${levels}; the limit is ${mebibytes(this.limit)}; ${mebibytes(this.slope())} an hour over the second half`;
  }

  /** Least squares over the second half, when caches are full: bytes an hour. */
  slope(): number {
    const late = this.#samples.slice(Math.floor(this.#samples.length / 2));
    const mean = (value: (sample: { second: number; bytes: number }) => number) =>
      late.reduce((sum, sample) => sum + value(sample), 0) / Math.max(1, late.length);
    const [second, bytes] = [mean((sample) => sample.second), mean((sample) => sample.bytes)];
    const above = late.reduce((sum, sample) => sum + (sample.second - second) * (sample.bytes - bytes), 0);
    const below = late.reduce((sum, sample) => sum + (sample.second - second) ** 2, 0);
    return below === 0 ? 0 : (above / below) * 3600;
  }

  #sample(): void {
    if (this.#server.hasEnded) return;
    const second = (performance.now() - this.#started) / 1000;
    this.#samples.push({ second, bytes: this.#server.residentBytes });
  }
}
