import {
  Counter,
  collectDefaultMetrics,
  type Metric,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import type { RequestTimes } from './request-times.ts';
import { scrapedMetrics } from './scraped-metrics.ts';
import type { ServerState } from './server-state.ts';

/** Metrics as data. */
export type Samples = MetricObjectWithValues<MetricValue<string>>[];

/** The metrics at `/_metrics`. Only request times and errors are counted as they occur. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #clientErrors: Counter;
  readonly #cutOff: Counter;

  constructor(state: ServerState, times: RequestTimes) {
    const registers = [this.#registry];
    // memory, processor time, open files, garbage collection and the delay of the event loop
    collectDefaultMetrics({ register: this.#registry });
    this.#registry.registerMetric(times as unknown as Metric);
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
    for (const metric of scrapedMetrics(state, times)) this.#registry.registerMetric(metric as unknown as Metric);
  }

  clientError(status: number): void {
    this.#clientErrors.inc({ status });
  }

  cutOff(): void {
    this.#cutOff.inc();
  }

  samples(): Promise<Samples> {
    return this.#registry.getMetricsAsJSON();
  }

  /** Returns the metrics in the text format of Prometheus. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
