import { setTimeout } from 'node:timers/promises';
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

/** Time in which the delay of the event loop is measured a few times, in milliseconds. */
const firstDelays = 50;

/** Metrics as data. */
export type Samples = MetricObjectWithValues<MetricValue<string>>[];

/** The metrics at `/_metrics`. Only request times and errors are counted as they occur. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #clientErrors: Counter;
  readonly #cutOff: Counter;
  #measured: Promise<unknown> | null = null;

  constructor(state: ServerState, times: RequestTimes) {
    const registers = [this.#registry];
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

  async samples(): Promise<Samples> {
    await this.#measureProcess();
    return this.#registry.getMetricsAsJSON();
  }

  /** Returns the metrics in the text format of Prometheus. */
  async text(): Promise<string> {
    await this.#measureProcess();
    return this.#registry.metrics();
  }

  /**
   * Measures memory, processor time, open files, garbage collection and the delay of the event loop from the first call on:
   * measuring the delay takes 0.6 % of a processor. Resolves when a delay is known.
   */
  #measureProcess(): Promise<unknown> {
    if (!this.#measured) {
      collectDefaultMetrics({ register: this.#registry });
      this.#measured = setTimeout(firstDelays);
    }
    return this.#measured;
  }
}
