import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import type { CacheStatistics } from '../engine/byte-bounded-cache.ts';
import type { CodecFigures } from '../http/codecs.ts';
import { readBuild } from './build.ts';
import type { RequestCountFigures } from './request-counts.ts';
import type { QueueFigures } from './request-queue.ts';
import { RequestTimes } from './request-times.ts';

/** The interface of content that the metrics use. */
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

/** The state of the server, read on each scrape. */
export interface ServerState {
  /** Returns null until the content is loaded. */
  content(): MeasuredContent | null;
  isReady(): boolean;
  connections(): number;
  unsentBytes(): number;
  lostLogLines(): number;
  codecs(): CodecFigures;
  queue(): QueueFigures;
  /** Returns null if there is no rate limit. */
  limitedAddresses(): RequestCountFigures | null;
}

/** The metrics at `/_metrics`. Only request times and errors are counted as they occur. */
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
      help: 'Malformed requests, by the status of the reply',
      labelNames: ['status'],
      registers,
    });
    this.#cutOff = new Counter({
      name: 'lectern_http_slow_readers_total',
      help: 'Connections closed because the client read its reply too slowly',
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

  /** Returns the metrics in the text format of Prometheus. */
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
    gauge('lectern_http_waiting_requests', 'Requests in the queue', () => state.queue().waiting);
    gauge('lectern_http_waiting_bytes', 'Memory of queued requests in bytes', () => state.queue().waitingBytes);
    new Counter({
      name: 'lectern_http_refused_requests_total',
      help: 'Requests answered with 503 because the queue was full',
      registers,
      collect() {
        this.reset();
        this.inc(state.queue().refused);
      },
    });
    gauge('lectern_unsent_bytes', 'Bytes of large replies that are not yet sent', () => state.unsentBytes());
    gauge('lectern_entries', 'Entries of all content types', () =>
      summary()?.types.reduce((total, { entries }) => total + entries, 0),
    );
    gauge('lectern_components', 'Components inside entries', () => summary()?.components);
    gauge('lectern_load_seconds', 'Time to load the snapshot', () => {
      const milliseconds = summary()?.loadMilliseconds;
      return milliseconds === undefined ? undefined : milliseconds / 1000;
    });
    new Gauge({
      name: 'lectern_snapshot_warnings',
      help: 'Tolerated errors in the snapshot, by kind',
      labelNames: ['kind'],
      registers,
      collect() {
        this.reset();
        for (const { kind, count } of summary()?.warnings ?? []) this.inc({ kind }, count);
      },
    });
    new Gauge({
      name: 'lectern_snapshot_info',
      help: 'The served snapshot. Always 1',
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
      help: 'Client addresses with a rate limit counter of their own',
      registers,
      collect() {
        this.set(limitedAddresses()?.addresses ?? 0);
      },
    });
    new Counter({
      name: 'lectern_rate_limit_shared_total',
      help: 'Requests counted in a shared rate limit counter, because there are too many addresses',
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
      help: 'Replies being compressed or queued for compression',
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
      help: 'Replies not compressed because the queue was full (full) or the clients had disconnected (gone)',
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
      help: 'Time since the content was loaded, and since its newest updatedAt',
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
      help: 'The version of the running server. Always 1',
      labelNames: ['version', 'node', 'commit'],
      registers,
    }).set({ version, node, commit }, 1);
  }

  #cacheMetrics(state: ServerState, registers: Registry[]): void {
    const help = {
      hits: 'Cache hits',
      misses: 'Cache misses',
      bytes: 'Cached bytes',
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
