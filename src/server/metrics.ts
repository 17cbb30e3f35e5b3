import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import type { CacheStatistics } from '../engine/byte-bounded-cache.ts';
import type { CodecFigures } from '../http/codecs.ts';
import { readBuild } from './build.ts';
import type { RequestCountFigures } from './request-counts.ts';
import type { QueueFigures } from './request-queue.ts';
import { RequestTimes } from './request-times.ts';

/** What is served, as far as it is measured. */
export interface MeasuredContent {
  readonly summary: {
    version: string;
    dialect: string;
    types: { entries: number }[];
    components: number;
    loadMilliseconds: number;
    loadedAt: string;
    updatedAt: string | null;
    warnings: readonly { kind: string; count: number }[];
  };
  readonly cacheFigures: Record<string, CacheStatistics>;
}

/** The state of the server when it is asked for its metrics. */
export interface ServerState {
  /** Null until it is loaded. */
  content(): MeasuredContent | null;
  isReady(): boolean;
  connections(): number;
  unsentBytes(): number;
  lostLogLines(): number;
  codecs(): CodecFigures;
  queue(): QueueFigures;
  /** Null without a rate limit. */
  limitedAddresses(): RequestCountFigures | null;
}

/** Everything under `/_metrics`: gathered when it is asked for, but for what is counted as it happens. */
export class Metrics {
  readonly requestTimes = new RequestTimes();
  readonly #registry = new Registry();
  readonly #clientErrors: Counter;
  readonly #cutOff: Counter;

  constructor(state: ServerState) {
    const registers = [this.#registry];
    // memory, processor time, open files, garbage collection and the event loop's delay
    collectDefaultMetrics({ register: this.#registry });
    this.#registry.registerMetric(this.requestTimes as unknown as Metric);
    this.#clientErrors = new Counter({
      name: 'lectern_http_client_errors_total',
      help: 'Connections that sent no request that can be read, by the status they were answered with',
      labelNames: ['status'],
      registers,
    });
    this.#cutOff = new Counter({
      name: 'lectern_http_slow_readers_total',
      help: 'Connections that were cut off because their client did not take its reply',
      registers,
    });
    this.#gauges(state, registers);
  }

  clientError(status: number): void {
    this.#clientErrors.inc({ status });
  }

  cutOff(): void {
    this.#cutOff.inc();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The text that Prometheus reads. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #gauges(state: ServerState, registers: Registry[]): void {
    const { requestTimes } = this;
    new Counter({
      name: 'lectern_http_replies_total',
      help: 'Replies by status',
      labelNames: ['status'],
      registers,
      collect() {
        this.reset();
        for (const [status, count] of requestTimes.countsByStatus()) this.inc({ status }, count);
      },
    });
    new Counter({
      name: 'lectern_log_lost_lines_total',
      help: 'Log lines that could not be written, because the disk is full or the pipe is closed',
      registers,
      collect() {
        this.reset();
        this.inc(state.lostLogLines());
      },
    });
    const gauge = (name: string, help: string, value: () => number | undefined) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          const current = value();
          if (current === undefined) this.remove();
          else this.set(current);
        },
      });
    const summary = () => state.content()?.summary;
    gauge('lectern_ready', 'Whether content is served: 1 or 0', () => Number(state.isReady()));
    gauge('lectern_connections', 'Open connections', () => state.connections());
    gauge('lectern_http_waiting_requests', 'Requests that wait for their turn', () => state.queue().waiting);
    gauge('lectern_http_waiting_bytes', 'Bytes of memory that waiting requests take', () => state.queue().waitingBytes);
    new Counter({
      name: 'lectern_http_refused_requests_total',
      help: 'Requests that were answered with 503 because too many others waited',
      registers,
      collect() {
        this.reset();
        this.inc(state.queue().refused);
      },
    });
    gauge('lectern_unsent_bytes', 'Bytes of large replies that wait for slow clients', () => state.unsentBytes());
    gauge('lectern_entries', 'Entries of all content types', () =>
      summary()?.types.reduce((total, { entries }) => total + entries, 0),
    );
    gauge('lectern_components', 'Components inside entries', () => summary()?.components);
    gauge('lectern_load_seconds', 'Time that it took to load the snapshot', () => {
      const milliseconds = summary()?.loadMilliseconds;
      return milliseconds === undefined ? undefined : milliseconds / 1000;
    });
    new Gauge({
      name: 'lectern_snapshot_warnings',
      help: 'Mistakes in the snapshot that were tolerated, by kind',
      labelNames: ['kind'],
      registers,
      collect() {
        this.reset();
        for (const { kind, count } of summary()?.warnings ?? []) this.inc({ kind }, count);
      },
    });
    new Gauge({
      name: 'lectern_snapshot_info',
      help: 'The snapshot that is served: always 1',
      labelNames: ['version', 'dialect'],
      registers,
      collect() {
        this.reset();
        const { version, dialect } = summary() ?? {};
        if (version !== undefined && dialect !== undefined) this.set({ version, dialect }, 1);
      },
    });
    this.#limitMetrics(state, registers);
    this.#codecMetrics(state, registers);
    this.#ages(state, registers);
    this.#cacheMetrics(state, registers);
  }

  #limitMetrics({ limitedAddresses }: ServerState, registers: Registry[]): void {
    if (limitedAddresses() === null) return;
    new Gauge({
      name: 'lectern_rate_limit_addresses',
      help: 'Addresses whose requests the rate limit counts one by one',
      registers,
      collect() {
        this.set(limitedAddresses()?.addresses ?? 0);
      },
    });
    new Counter({
      name: 'lectern_rate_limit_shared_total',
      help: 'Requests that the rate limit counted together with those of other addresses, because there are too many',
      registers,
      collect() {
        this.reset();
        this.inc(limitedAddresses()?.shared ?? 0);
      },
    });
  }

  #codecMetrics({ codecs }: ServerState, registers: Registry[]): void {
    new Gauge({
      name: 'lectern_compressions',
      help: 'Replies that are being compressed, and that wait for it',
      labelNames: ['state'],
      registers,
      collect() {
        const { running, waiting } = codecs();
        this.set({ state: 'running' }, running);
        this.set({ state: 'waiting' }, waiting);
      },
    });
    new Counter({
      name: 'lectern_compressions_skipped_total',
      help: 'Replies that were not compressed: the queue was full (full), or their clients had gone (gone)',
      labelNames: ['reason'],
      registers,
      collect() {
        this.reset();
        const { full, gone } = codecs();
        this.inc({ reason: 'full' }, full);
        this.inc({ reason: 'gone' }, gone);
      },
    });
  }

  #ages(state: ServerState, registers: Registry[]): void {
    new Gauge({
      name: 'lectern_content_age_seconds',
      help: 'Time since the content was loaded, and since the newest updatedAt in it',
      labelNames: ['since'],
      registers,
      collect() {
        this.reset();
        const { loadedAt, updatedAt } = state.content()?.summary ?? {};
        const age = (time: string) => (Date.now() - Date.parse(time)) / 1000;
        if (loadedAt) this.set({ since: 'loaded' }, age(loadedAt));
        if (updatedAt) this.set({ since: 'updated' }, age(updatedAt));
      },
    });
    const { version, node, commit } = readBuild();
    new Gauge({
      name: 'lectern_build_info',
      help: 'What is running: always 1',
      labelNames: ['version', 'node', 'commit'],
      registers,
    }).set({ version, node, commit }, 1);
  }

  #cacheMetrics(state: ServerState, registers: Registry[]): void {
    const help = {
      hits: 'Lookups that found what they looked for',
      misses: 'Lookups that did not',
      bytes: 'Bytes that are kept',
    };
    for (const figure of ['hits', 'misses', 'bytes'] as const) {
      const isCount = figure !== 'bytes';
      const Kind = isCount ? Counter : Gauge;
      new Kind({
        name: `lectern_cache_${figure}${isCount ? '_total' : ''}`,
        help: `${help[figure]}, by cache: replies by URL and by query, row sets, prepared queries, rows by status and locale, compressed bodies`,
        labelNames: ['cache'],
        registers,
        collect() {
          this.reset();
          const figures = state.content()?.cacheFigures ?? {};
          for (const [cache, values] of Object.entries(figures)) this.inc({ cache }, values[figure]);
        },
      });
    }
  }
}
