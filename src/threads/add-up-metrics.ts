import { AggregatorRegistry } from 'prom-client';
import type { Samples } from '../server/metrics.ts';

/**
 * Returns the metrics of a process in the text format of Prometheus: those of the coordinating thread and those of the
 * threads that answer, added up. The delay of the event loop is that of the slowest thread.
 */
export function addUpMetrics(coordinator: Samples, threads: readonly Samples[]): Promise<string> {
  const own = coordinator.map((metric) => ({ ...metric, aggregator: aggregatorOf(metric) }));
  // the first list decides how a metric is added up
  const others = threads.map((samples) => samples.filter((metric) => aggregatorOf(metric) !== 'first'));
  return AggregatorRegistry.aggregate([own, ...others]).metrics();
}

/** Adds what a thread counted before it ended to what earlier ones did, so that no counter ever falls. */
export function retireCounters(earlier: Samples, ended: Samples): Samples {
  const counters = ended.filter((metric) => isCounter(metric) && aggregatorOf(metric) === 'sum');
  // the added metrics hold their values themselves
  return AggregatorRegistry.aggregate([earlier, counters]).getMetricsAsArray() as unknown as Samples;
}

function isCounter({ type }: Samples[number]): boolean {
  // its types are a numeric enumeration, but their values are names
  return ['counter', 'histogram'].includes(type as unknown as string);
}

/** Returns how prom-client combines a metric of several threads. `first` is the value of the coordinating thread. */
function aggregatorOf({ name, aggregator }: Samples[number]): Samples[number]['aggregator'] {
  if (name.startsWith('process_')) return 'first';
  if (name.startsWith('nodejs_eventloop_lag_') && aggregator !== 'min') return 'max';
  return aggregator;
}
